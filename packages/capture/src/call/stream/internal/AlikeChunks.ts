/**
 * Chunks of a chat completion that differ in what they add to its content, and in nothing else. Most of a stream is such chunks,
 * and to parse each of them was a fifth of all that a stream cost. They are compared where they stand: to make events of them first
 * took longer than the rest. A run of them is one chunk here, which adds what all add:
 *
 *     {"id":"a","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}     parsed
 *     {"id":"a","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}      same head and tail: adds "lo"
 *
 * The one chunk comes to the same as the run: contents are joined, and of what else they say the last counts, which is the same in
 * all of them. What is appended otherwise (`logprobs`, tool calls, other texts) makes no run.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"

/** A delta with a content that more is added to. */
interface Growing {
  content: string
}

interface Run {
  /** Up to the content's first character, and from the quote behind its last one. */
  readonly head: string
  readonly tail: string
  readonly delta: Growing
}

/** What an event begins with that is a chunk and nothing else. */
const field = "data:"
/** Longer chunks are few. */
const lengthMax = 4_096
/** So many runs may begin that are of one chunk: each takes to parse a chunk once more. */
const vainMax = 4

/** What says the same when it is said again. */
const repeats = ([name, value]: readonly [string, unknown]): boolean =>
  value === null || name === "content" || (name === "role" && typeof value === "string")

const deltaOf = ({ choices }: Schema.JsonObject): Growing | undefined => {
  const choice = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
  if (!isObject(choice) || "message" in choice || (choice["logprobs"] ?? null) !== null) return undefined
  const { delta } = choice
  if (!isObject(delta) || typeof delta["content"] !== "string" || !Object.entries(delta).every(repeats))
    return undefined
  // Its content is a text, as was just seen; nobody else has the chunk yet.
  return delta as unknown as Growing
}

const opening = /"content": ?"/
const literal = /[^"\\]*(?:\\.[^"\\]*)*/y

/** Undefined where the first text of this name is not the content of the delta. */
const runOf = (text: string, delta: Growing): Run | undefined => {
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

/** What stands between the quotes of one text; undefined where it is more than one, or none. */
const saidBy = (between: string): string | undefined => {
  if (!special.test(between)) return between
  try {
    const said: unknown = JSON.parse(`"${between}"`)
    return typeof said === "string" ? said : undefined
  } catch {
    return undefined
  }
}

/** Where the data of the event at `at` begins; -1 where it does not begin with its data. */
const dataAt = (text: string, at: number): number => {
  if (text.slice(at, at + field.length) !== field) return -1
  const from = at + field.length
  return text[from] === " " ? from + 1 : from
}

/**
 * What the event at `at` adds, and where the next one begins; undefined where it is not one chunk of the run. Slices are compared
 * quicker than `startsWith` does.
 */
const addedAt = (text: string, at: number, { head, tail }: Run): { said: string; next: number } | undefined => {
  const from = dataAt(text, at)
  if (from < 0 || text.slice(from, from + head.length) !== head) return undefined
  const lineEnd = text.indexOf("\n", from + head.length)
  const [begin, end] = [from + head.length, lineEnd - tail.length]
  // One line of data, and the empty one that ends the event.
  if (begin > end || text[lineEnd + 1] !== "\n" || text.slice(end, lineEnd) !== tail) return undefined
  const said = saidBy(text.slice(begin, end))
  return said === undefined ? undefined : { said, next: lineEnd + 2 }
}

export class AlikeChunks {
  #run: Run | undefined
  #vain = 0

  /**
   * Adds the chunks that follow the one before them, from `from` on in the text of a stream, and that begin before `until`;
   * returns where they end.
   */
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

  /** The chunk that follows may be of a run with this one, if it says nothing but a chunk. */
  begin(text: string, chunk: Schema.JsonObject): void {
    const delta = text.length > lengthMax || this.#vain >= vainMax ? undefined : deltaOf(chunk)
    this.#run = delta && runOf(text, delta)
    this.#vain++
  }

  /** What comes next is of no run with what came. */
  end(): void {
    this.#run = undefined
  }
}
