/**
 * The thread that compiles and tries tenants' patterns and schemas: one question after the other, each within its time
 * limit.
 */
import { type MessagePort, parentPort } from "node:worker_threads"
import type { PatternVerdict } from "@limbeck/distill/reward/Patterns"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as AjvSchemas from "./internal/AjvSchemas.ts"
import * as Re2Patterns from "./internal/Re2Patterns.ts"

/** Without a value, whether the rule compiles is asked. `rule`: a pattern, or a schema as JSON text. */
export type Question =
  | { readonly kind: "pattern"; readonly rule: string; readonly value?: string }
  | { readonly kind: "schema"; readonly rule: string; readonly value?: Schema.Json }

/** `fault`: why the rule is refused; null: it compiles. */
export interface Answer {
  readonly fault: string | null
  readonly verdict: PatternVerdict | ReturnType<AjvSchemas.Validate> | null
}

/** A message to the thread. */
export interface CheckRequest {
  readonly id: number
  readonly question: Question
}

/** The reply to the request of the same id. */
export interface CheckReply {
  readonly id: number
  readonly answer: Answer
}

/** Rules that are kept compiled: those that came last. */
const keptMax = 100

const keeping = <A>(compile: (rule: string) => Result.Result<A, string>) => {
  const kept = new Map<string, Result.Result<A, string>>()
  return (rule: string) => {
    const made = kept.get(rule) ?? compile(rule)
    kept.delete(rule)
    kept.set(rule, made)
    const [oldest] = kept.keys()
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
    return made
  }
}

const patternOf = keeping(Re2Patterns.compile)
const compileSchema = AjvSchemas.compiler()
const schemaOf = keeping((rule) => compileSchema(JSON.parse(rule)))

const tried = <V, R>(compiled: Result.Result<(value: V) => R, string>, value: V | undefined) =>
  Result.match(compiled, {
    onFailure: (fault) => ({ fault, verdict: null }),
    onSuccess: (run) => ({ fault: null, verdict: value === undefined ? null : run(value) })
  })

const answerOf = (question: Question): Answer =>
  question.kind === "pattern"
    ? tried(patternOf(question.rule), question.value)
    : tried(schemaOf(question.rule), question.value)

// `CheckingThread` starts this file as a worker and nothing else does: there is a port.
const port = parentPort as MessagePort
port.on("message", ({ id, question }: CheckRequest) => {
  const answered: CheckReply = { id, answer: answerOf(question) }
  port.postMessage(answered)
})
