/**
 * Calls of several tools with different arguments as one question for the tool and, for each tool, a question for each of its
 * arguments, which only its rows answer. A tool with several sets of arguments counts as several tools; words beside the calls are
 * answers to the first question. Pure.
 */
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import * as Result from "effect/Result"
import type { Answers, CallVariant } from "./Answers.ts"
import * as LabelRules from "./LabelRules.ts"
import * as ToolAnswers from "./ToolAnswers.ts"

export interface CallVariants {
  /** Tools by their keys, and words; most frequent first. */
  readonly labels: ReadonlyArray<LabelRules.Label>
  readonly variants: ReadonlyArray<CallVariant>
}

/** For a call its tool with the names of its arguments; other texts are their own keys. */
export const keyOf = (text: string): string => {
  const call = ToolAnswers.callOf(text)
  return call === undefined ? text : canonicalJson({ tool: call.name, names: Object.keys(call.arguments).sort() })
}

interface CallKey {
  readonly tool: string
  /** Of the arguments. */
  readonly names: ReadonlyArray<string>
}

/** The key of a call. */
export const readKey = (key: string): CallKey => JSON.parse(key)

const totalOf = (seen: LabelRules.LabelCounts): number => [...seen.values()].reduce((sum, count) => sum + count, 0)

interface KeyedCounts {
  /** Rows by key. */
  readonly keys: Map<string | null, number>
  /** Calls by key. */
  readonly calls: ReadonlyMap<string, LabelRules.LabelCounts>
}

const countKeys = (seen: LabelRules.LabelCounts): KeyedCounts => {
  const keys = new Map<string | null, number>()
  const calls = new Map<string, Map<string, number>>()
  for (const [text, count] of seen) {
    const key = text === null ? null : keyOf(text)
    keys.set(key, (keys.get(key) ?? 0) + count)
    if (text === null || key === null || key === text) continue
    calls.set(key, (calls.get(key) ?? new Map<string, number>()).set(text, count))
  }
  return { keys, calls }
}

/**
 * Undefined unless the answers are calls of several variants with arguments from closed sets, and have more combinations than labels: few
 * combinations are learnt as labels. `closeOne`: closes the arguments of one variant.
 */
export const close = (
  seen: LabelRules.LabelCounts,
  by: LabelRules.Bounds,
  closeOne: (calls: LabelRules.LabelCounts) => Answers | undefined
): CallVariants | undefined => {
  const { calls, keys } = countKeys(seen)
  if (calls.size < 2) return undefined
  const answers = new Map([...calls].map(([key, own]) => [key, closeOne(own)] as const))
  const known = new Map(keys)
  for (const [key, own] of calls) {
    // Calls of a tool with open arguments count as rows outside of the set.
    if (answers.get(key) !== undefined) continue
    known.delete(key)
    known.set(null, (known.get(null) ?? 0) + totalOf(own))
  }
  const closed = LabelRules.close(known, by)
  if (Result.isFailure(closed)) return undefined
  const { labels } = closed.success
  const variants = labels.flatMap(({ text }) => {
    const own = answers.get(text)
    return own === undefined ? [] : [{ label: text, answers: own }]
  })
  const learnt = variants.flatMap(({ answers: { questions } }) => questions.flatMap((question) => question.labels))
  const isSmaller = labels.length + learnt.length < seen.size
  return variants.length > 1 && learnt.length > 0 && isSmaller ? { labels, variants } : undefined
}
