/** Every bound of the processes that serve students, with its reason. */
export const ServingProcessLimits = {
  /** How often one that was started is asked whether it answers by now. */
  startPollMillis: 100,
  /** How long it may take to answer for the first time: large weights are read from slow disks. */
  startMillisMax: 600_000,
  /** One that ends so often before it ever answered is not started any more. */
  startsMax: 3,
  /** How often one that answers is looked at. */
  watchMillis: 2_000,
  /** Connections in a row that are refused before it is taken for dead. One that is busy accepts and takes its time. */
  refusalsMax: 3,
  /** The wait for one answer about its health. */
  healthMillis: 5_000,
  /** Before it is started again; doubles from one end to the next, and is as at first once it answered. */
  backoffMillis: 250,
  backoffMillisMax: 4_000,
  /** What it is left to end by itself. */
  stopMillis: 3_000,
  /** What a server may take to load an adapter, or to let go of one. */
  adapterMillis: 300_000,
  unloadMillis: 5_000,
  /** Refusals in a row to load an adapter before it is given up. */
  adapterRefusalsMax: 3,
  /** The log of a student that is not served any more is kept for so long after its last line. */
  logKeptMillis: 7 * 86_400_000,
  /** A log that is longer is begun anew at the next start. */
  logBytesMax: 10 * 1024 ** 2
} as const
