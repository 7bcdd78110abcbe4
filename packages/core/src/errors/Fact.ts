/**
 * Error classes with facts instead of sentences. Their `message`, for logs and hosts, is built from the tag and the facts.
 */
import type { YieldableError } from "effect/Cause"
import * as Schema from "effect/Schema"

/** `RunNotRetryable`: `Run not retryable`. */
const wordsOf = (tag: string): string =>
  tag.charAt(0) + tag.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const shown = (fact: unknown): string => (fact instanceof Error ? fact.message : JSON.stringify(fact))

const messageOf = (tag: string, names: ReadonlyArray<string>, error: object): string => {
  const facts = new Map(Object.entries(error))
  // A stack is written before the facts are set, and a fact may be absent.
  const known = names.filter((name) => facts.get(name) !== undefined).map((name) => `${name}=${shown(facts.get(name))}`)
  return [wordsOf(tag), ...known].join(" ")
}

/**
 * Makes a tagged error like `Schema.TaggedError`, with a generated message: `class RunEnded extends
 * Fact<RunEnded>()("RunEnded", { id: Schema.String }) {}` has the message `Run ended id="run_1"`. `ErrorTable` holds
 * the sentences for clients of the HTTP API.
 */
export const Fact =
  <Self>() =>
  <const Tag extends string, const Fields extends Schema.Struct.Fields>(
    tag: Tag,
    fields: Fields & { readonly message?: never }
  ) => {
    // The class's type is conditional on `Self`, which is known here.
    const made = Schema.TaggedError<Self>()(tag, fields) as Schema.Class<
      Self,
      Schema.TaggedStruct<Tag, Fields>,
      YieldableError
    >
    Object.defineProperty(made.prototype, "message", {
      configurable: true,
      get(this: object) {
        return messageOf(tag, Object.keys(fields), this)
      }
    })
    return made
  }
