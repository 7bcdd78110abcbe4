/** Every bound of `limbeck decide`, with its reason. */
export const DecideLimits = {
  /** Requests under way: enough that a decision model of 700 ms answers ten rows a second. */
  requestsAtOnce: 8,
  /** The answers of all rows are held while the output is written: some 200 MB. */
  rowsMax: 200_000,
  /** A request that met a limit or a broken upstream is sent again so often. */
  attemptsMax: 3,
  /** A server may ask for a longer pause than a person waits for. */
  pauseMillisMax: 30_000,
  /** Calls are stored within a second or two of their answer, unless the storage is behind. */
  storedMillisMax: 10_000,
  /** Between two looks at whether a call is stored. */
  storedPollMillis: 250,
  /** Of a whole request; the proxy's own limit is shorter than a client's patience. */
  requestMillisMax: 120_000
} as const
