/**
 * The `logprobs` of a builtin student's chat answer, in OpenAI's form. A classifier chooses among whole answers, so its text is
 * one token, and the alternatives are its other labels. Pure.
 */
import type { LoadedStudent, Prediction } from "./Student.ts"

interface TokenLogprob {
  readonly token: string
  /** Natural logarithm of the probability. */
  readonly logprob: number
  /** Of the token in UTF-8. */
  readonly bytes: ReadonlyArray<number>
}

export interface AnswerLogprobs {
  readonly content: ReadonlyArray<TokenLogprob & { readonly top_logprobs: ReadonlyArray<TokenLogprob> }>
  readonly refusal: null
}

/** What OpenAI's API gives for a token that is next to impossible: JSON has no infinity. */
const least = -9999

const utf8 = new TextEncoder()

const tokenOf = (token: string, probability: number): TokenLogprob => ({
  token,
  logprob: Math.max(least, Math.log(probability)),
  bytes: [...utf8.encode(token)]
})

/** The labels with their probabilities, the most probable first. A student of several fields lists its answer alone. */
const alternativesOf = (
  labels: LoadedStudent["labels"],
  { confidence, distribution, text }: Prediction
): ReadonlyArray<readonly [label: string, probability: number]> => {
  if (labels === null || labels.length !== distribution.length) return [[text, confidence]]
  return labels
    .map((label, position) => [label, distribution[position] ?? 0] as const)
    .toSorted(([, one], [, other]) => other - one)
}

/** `top`: how many alternatives to list. */
export const of = (labels: LoadedStudent["labels"], prediction: Prediction, top: number): AnswerLogprobs => {
  const listed = top === 0 ? [] : alternativesOf(labels, prediction).slice(0, top)
  const top_logprobs = listed.map(([label, probability]) => tokenOf(label, probability))
  return { content: [{ ...tokenOf(prediction.text, prediction.confidence), top_logprobs }], refusal: null }
}
