/**
 * Chunks of a chat completion that differ only in their added content. Most of a stream consists of such chunks, and
 * parsing each took a fifth of a stream's cost. They are compared in place: splitting the text into events first took
 * longer than the rest. A run of them becomes one chunk, which adds all their content:
 *
 *     {"id":"a","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}     parsed
 *     {"id":"a","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}      same head and tail: adds "lo"
 *
 * The merged chunk has the effect of the run: contents are joined, and of the other members the last one counts, which is
 * the same in all chunks. Members appended in other ways (`logprobs`, tool calls, other texts) prevent a run.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"

/** A delta with a content that more is added to. */
interface ChunkRun {
  content: string
}

interface Run {
  /** Up to the content's first character, and from the quote behind its last one. */
  readonly head: string
  readonly tail: string
  readonly delta: ChunkRun
}

/** The beginning of an event without other fields. */
const field = "data:"
/** Longer chunks are few. */
const lengthMax = 4_096
/** Maximum runs of a single chunk: each costs another parse of a chunk. */
const vainMax = 4

/** Members whose repetition changes nothing. */
const repeats = ([name, value]: readonly [string, unknown]): boolean =>
  value === null || name === "content" || (name === "role" && typeof value === "string")

const deltaOf = ({ choices }: Schema.JsonObject): ChunkRun | undefined => {
  const choice = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
  if (!isObject(choice) || "message" in choice || (choice["logprobs"] ?? null) !== null) return undefined
  const { delta } = choice
  if (!isObject(delta) || typeof delta["content"] !== "string" || !Object.entries(delta).every(repeats))
    return undefined
  // The content is a text, as just checked, and the chunk has no other reader yet.
  return delta as unknown as ChunkRun
}

const opening = /"content": ?"/
const literal = /[^"\\]*(?:\\.[^"\\]*)*/y

/** Undefined if the first text of this name is not the content of the delta. */
const runOf = (text: string, delta: ChunkRun): Run | undefined => {
  const found = opening.exec(text)
  if (found === null) return undefined
  literal.lastIndex = found.index + found[0].length
  const head = text.slice(0, literal.lastIndex)
  literal.test(text)
  const tail = text.slice(literal.lastIndex)
  const probe = `${delta.content}.`
  const probed: unknown = JSON.parse(head + JSON.stringify(probe).slice(1, -1) + tail)
  return isObject(probed) && deltaOf(probed)?.content === probe ? { head, tail, delta } : undefined
}

/** Anything but what stands for itself between the quotes of a JSON text. */
const special = /[^ !#-[\]-\uffff]/

/** The text between the quotes; undefined unless it is exactly one text. */
const saidBy = (between: string): string | undefined => {
  if (!special.test(between)) return between
  try {
    const said: unknown = JSON.parse(`"${between}"`)
    return typeof said === "string" ? said : undefined
  } catch {
    return undefined
  }
}

/** The start of the data in the event at `at`; -1 if another field comes first. */
const dataAt = (text: string, at: number): number => {
  if (text.slice(at, at + field.length) !== field) return -1
  const from = at + field.length
  return text[from] === " " ? from + 1 : from
}

/**
 * The content added by the event at `at`, and the start of the next one; undefined if the event does not continue the run.
 * Comparing slices is faster than `startsWith`.
 */
const addedAt = (text: string, at: number, { head, tail }: Run): { said: string; next: number } | undefined => {
  const from = dataAt(text, at)
  if (from < 0 || text.slice(from, from + head.length) !== head) return undefined
  const lineEnd = text.indexOf("\n", from + head.length)
  const [begin, end] = [from + head.length, lineEnd - tail.length]
  // One line of data, and the empty line that ends the event.
  if (begin > end || text[lineEnd + 1] !== "\n" || text.slice(end, lineEnd) !== tail) return undefined
  const said = saidBy(text.slice(begin, end))
  return said === undefined ? undefined : { said, next: lineEnd + 2 }
}

export class AlikeChunks {
  #run: Run | undefined
  #vain = 0

  /** Merges the following chunks of the run, from `from` up to `until` in the text of a stream; returns their end. */
  addAll(text: string, from: number, until: number): number {
    const run = this.#run
    let at = from
    while (run !== undefined && at < until) {
      const added = addedAt(text, at, run)
      if (added === undefined) break
      run.delta.content += added.said
      this.#vain = 0
      at = added.next
    }
    return at
  }

  /** Starts a run at this chunk, if its event has no other fields. */
  begin(text: string, chunk: Schema.JsonObject): void {
    const delta = text.length > lengthMax || this.#vain >= vainMax ? undefined : deltaOf(chunk)
    this.#run = delta && runOf(text, delta)
    this.#vain++
  }

  /** Ends the current run. */
  end(): void {
    this.#run = undefined
  }
}
