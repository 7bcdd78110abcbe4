/** The identity of a question: equal questions of both dialects have one, whatever their name (contract 16.19). */

import { BoundedCache } from "@limbeck/core/cache/BoundedCache"
import * as Id from "@limbeck/core/ids/Id"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { ReadQuestion, RequestedQuestion } from "./DecisionRequest.ts"
import type { Option, Question, QuestionId, QuestionKind } from "./Question.ts"

/** Version of the digested form. */
const version = 1

const utf8 = new TextEncoder()

/** Unicode form NFKC, runs of white space as one space, none at the ends. */
export const foldText = (text: string): string => text.normalize("NFKC").replace(/\s+/gu, " ").trim()

const compare = <A extends string | boolean>(a: A, b: A): number => (a < b ? -1 : Number(a > b))

/** Booleans before texts; texts by their UTF-16 code units. */
const byValue = ({ value: a }: Option, { value: b }: Option): number =>
  typeof a === typeof b ? compare(a, b) : compare(typeof a, typeof b)

/** The positions of the options in the order of the identity. Only a choice is sorted. */
const sortedPositions = (kind: QuestionKind, options: ReadonlyArray<Option>): ReadonlyArray<number> => {
  const positions = options.map((_, position) => position)
  return kind === "choice" ? positions.toSorted((a, b) => byValue(options[a]!, options[b]!)) : positions
}

/** The options of a predicate without descriptions. */
export const predicateOptions: ReadonlyArray<Option> = [{ value: false }, { value: true }]

/** A question whose options stand in the order of a request; null without options, or if two have one value. */
export const read = (
  kind: QuestionKind,
  instructions: string,
  requested: ReadonlyArray<Option>
): ReadQuestion | null => {
  const isUnique = kind === "score" || new Set(requested.map(({ value }) => value)).size === requested.length
  if (requested.length === 0 || !isUnique) return null
  const positions = sortedPositions(kind, requested)
  const order: Array<number> = []
  positions.forEach((position, sorted) => {
    order[position] = sorted
  })
  return { kind, instructions, options: positions.map((position) => requested[position]!), order }
}

/** The position of the option with this text, as feedback names it: `false`, `true`, a value, a level. -1: there is none. */
export const optionAt = ({ options }: Question, text: string): number =>
  options.findIndex(({ value }) => String(value) === text)

/** In the order of RFC 8785; `JSON.stringify` leaves out a missing description. */
const optionForm = ({ description, value }: Option) => ({ description, value })

/** The text that is digested: the RFC 8785 form of `{v, kind, instructions, options}`, written without sorting its members. */
export const formOf = ({ instructions, kind, options }: Question): string =>
  JSON.stringify({ instructions, kind, options: options.map(optionForm), v: version })

/** A client repeats its questions in every request. */
const identities = new BoundedCache<string, QuestionId>()

/** `qst_` and the first 26 characters of the digest in the alphabet of ids. */
export const identify = (question: Question): Effect.Effect<QuestionId, never, Digest> =>
  Effect.suspend(() => {
    const form = formOf(question)
    const known = identities.find(form)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.flatMap(Digest, (digests) =>
      Effect.map(digests.digest(sha256, utf8.encode(form)), (digest) => {
        const id = Id.fromDigest("qst", digest)
        identities.keep(form, id, form.length)
        return id
      })
    )
  })

/** Questions between two pauses for other work: a request has up to 400, and 16 of 255 options take about two milliseconds. */
const questionsAtOnce = 16

/** By question of a request; null for a question that is not read. */
export const identifyAll = (
  questions: ReadonlyArray<RequestedQuestion>
): Effect.Effect<ReadonlyArray<QuestionId | null>, never, Digest> =>
  Effect.forEach(questions, ({ question }, at) => {
    const identified = question === null ? Effect.succeed(null) : identify(question)
    return at % questionsAtOnce === questionsAtOnce - 1 ? Effect.tap(identified, () => Effect.yieldNow) : identified
  })
