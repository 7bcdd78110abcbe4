/** What the upstream charged for requests for decisions, by the questions that it was asked. Pure. */

/** A captured request to the upstream, whole or in part. */
export interface CostedRequest {
  /** The questions that the upstream answered. */
  readonly questions: ReadonlyArray<string>
  readonly costUsd: number
}

export interface RequestCosts {
  /** The mean cost of a request of the teacher; null if unknown. */
  readonly callUsd: number | null
  /** The mean cost of requests for exactly these questions, by the upstream's own count; null without such requests. */
  readonly costOf: (questions: Iterable<string>) => number | null
}

const keyOf = (questions: Iterable<string>): string => [...new Set(questions)].toSorted().join(" ")

const meanOf = (requests: ReadonlyArray<CostedRequest>): number =>
  requests.reduce((sum, { costUsd }) => sum + costUsd, 0) / requests.length

export const make = (callUsd: number | null, requests: ReadonlyArray<CostedRequest>): RequestCosts => {
  const groups = Map.groupBy(requests, ({ questions }) => keyOf(questions))
  const means = new Map([...groups].map(([key, group]) => [key, meanOf(group)]))
  return { callUsd, costOf: (questions) => means.get(keyOf(questions)) ?? null }
}
