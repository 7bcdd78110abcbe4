/**
 * Compiles and tries tenants' patterns and schemas in a separate thread: a slow one leaves the event loop free. The thread
 * starts at the first question, and again after a loss.
 */
import { Worker } from "node:worker_threads"
import { JsonSchemas, type SchemaVerdict } from "@limbeck/distill/reward/JsonSchemas"
import { Patterns, type PatternVerdict } from "@limbeck/distill/reward/Patterns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Answer, CheckReply, CheckRequest, Question } from "./CheckingWorker.ts"

/** Run from source, there is no built file beside us. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./CheckingWorker.ts" : "./CheckingWorker.js", import.meta.url)

type Ask = (question: Question) => Effect.Effect<Answer | null>

/** Open questions of the thread. Null: the thread was lost over the question. */
class Thread {
  readonly #waiting = new Map<number, (answer: Answer | null) => void>()
  #worker: Worker | undefined
  #last = 0

  ask(question: Question, hear: (answer: Answer | null) => void): () => void {
    const asked: CheckRequest = { id: ++this.#last, question }
    this.#waiting.set(asked.id, hear)
    this.#worker ??= this.#open()
    this.#worker.ref()
    this.#worker.postMessage(asked)
    return () => this.#end(asked.id)
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  /** No flag, no variable and so no secret of the host's reaches the thread. */
  #open(): Worker {
    const worker = new Worker(file, { execArgv: [], env: {} })
    worker.on("message", ({ answer, id }: CheckReply) => {
      const hear = this.#waiting.get(id)
      this.#end(id)
      hear?.(answer)
    })
    // The exit event follows every error.
    worker.on("error", () => {})
    worker.on("exit", () => this.#lose())
    return worker
  }

  /** A thread that nobody waits for keeps no process alive. */
  #end(id: number): void {
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker?.unref()
  }

  #lose(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#worker = undefined
    for (const hear of waiting) hear(null)
  }
}

/** A lost thread gives the verdict of too costly work. */
const tooCostly: SchemaVerdict = { _tag: "TooCostly" }

const compiled = <A>(asked: Effect.Effect<Answer | null>, made: A) =>
  Effect.map(asked, (answer): Result.Result<A, string> => {
    const fault = answer === null ? "It could not be compiled" : answer.fault
    return fault === null ? Result.succeed(made) : Result.fail(fault)
  })

// The thread returns the verdict type of each kind of question.
const patterns = (ask: Ask): Patterns["Service"] => ({
  compile: (rule) =>
    compiled(ask({ kind: "pattern", rule }), (value: string) =>
      Effect.map(ask({ kind: "pattern", rule, value }), (answer) => (answer?.verdict ?? "too_costly") as PatternVerdict)
    )
})

const schemas = (ask: Ask): JsonSchemas["Service"] => ({
  compile: (schema) =>
    Effect.suspend(() => {
      const rule = JSON.stringify(schema)
      return compiled(ask({ kind: "schema", rule }), (value) =>
        Effect.map(ask({ kind: "schema", rule, value }), (answer) => (answer?.verdict ?? tooCostly) as SchemaVerdict)
      )
    })
})

export const layer: Layer.Layer<Patterns | JsonSchemas> = Layer.effectContext(
  Effect.gen(function* () {
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new Thread()),
      (thread) => Effect.promise(() => thread.close())
    )
    const ask: Ask = (question) =>
      Effect.callback((resume) => {
        const forget = thread.ask(question, (answer) => resume(Effect.succeed(answer)))
        return Effect.sync(forget)
      })
    return Context.make(Patterns, patterns(ask)).pipe(Context.add(JsonSchemas, schemas(ask)))
  })
)
