/** Every bound of the processes that serve students, with its reason. */
export const ServingProcessLimits = {
  /** Interval of health checks during the start. */
  startPollMillis: 100,
  /** How long it may take to answer for the first time: large weights are read from slow disks. */
  startMillisMax: 600_000,
  /** Starts without a response before the server is given up. */
  startsMax: 3,
  /** Interval of health checks of a running server. */
  watchMillis: 2_000,
  /** Consecutive refused connections before the process counts as dead. A busy process accepts and is only slow. */
  refusalsMax: 3,
  /** The wait for one answer about its health. */
  healthMillis: 5_000,
  /** Wait before a restart; doubles with each end, and is reset by a response. */
  backoffMillis: 250,
  backoffMillisMax: 4_000,
  /** Grace before a kill. */
  stopMillis: 3_000,
  /** What a server may take to load an adapter, or to let go of one. */
  adapterMillis: 300_000,
  unloadMillis: 5_000,
  /** Refusals in a row to load an adapter before it is given up. */
  adapterRefusalsMax: 3,
  /** Retention of an unserved student's log after its last line. */
  logKeptMillis: 7 * 86_400_000,
  /** A larger log is truncated at the next start. */
  logBytesMax: 10 * 1024 ** 2
} as const
