/** How old events are when the first byte of their request arrives: what the publisher noted, joined with the receiver's notes. */
import * as Latency from "./Latency.ts"

/** Milliseconds since 1970 on the clock that the processes of one machine share, finer than a millisecond. */
export const now = (): number => performance.timeOrigin + performance.now()

/** What the publisher saw of one event. */
export interface Commit {
  readonly event: string
  readonly createdAt: number
  readonly publishedAt: number
  /** The time at which the publisher saw the commit. */
  readonly committedAt: number
}

export interface Arrival {
  readonly event: string
  readonly at: number
}

export interface Ages {
  readonly arrived: number
  readonly fromCommit: Latency.Latency
  readonly fromCreation: Latency.Latency
  /** What the publisher waits for. */
  readonly publishing: Latency.Latency
}

/** Ignores arrivals of unrecorded events. */
export const join = (commits: ReadonlyArray<Commit>, arrivals: ReadonlyArray<Arrival>): Ages => {
  const noted = new Map(commits.map((commit) => [commit.event, commit]))
  const pairs = arrivals.flatMap(({ at, event }) => {
    const commit = noted.get(event)
    return commit === undefined ? [] : [{ at, commit }]
  })
  return {
    arrived: pairs.length,
    fromCommit: Latency.of(pairs.map(({ at, commit }) => at - commit.committedAt)),
    fromCreation: Latency.of(pairs.map(({ at, commit }) => at - commit.createdAt)),
    publishing: Latency.of(commits.map(({ committedAt, publishedAt }) => committedAt - publishedAt))
  }
}
