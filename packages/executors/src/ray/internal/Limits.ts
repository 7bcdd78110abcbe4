/** Every bound of the Ray executor, with its reason. */
export const RayLimits = {
  /** How often a job is looked at, in its folder and at the cluster. */
  lookMillis: 1_000,
  /** A call of the cluster's job API. A submission was measured to take 1.5 seconds on a small machine. */
  callMillis: 30_000,
  /** A stop that the cluster did not hear of reaches the job by its folder anyway. */
  stopCallMillis: 5_000,
  /**
   * A job without a sign of any server for this long ends itself. A server that restarts in time finds its jobs again; a
   * minute after a run's end no job is left.
   */
  silenceMillis: 40_000 as number,
  /** Wait for output after the cluster reports the end: shared folders show writes with a delay. */
  endedQuietMillis: 5_000,
  /** A job unknown to the cluster, or without a reachable cluster, counts as gone after this silence. */
  unknownQuietMillis: 30_000,
  /** One that the cluster believes to run: its machine hangs, or has lost the folder. */
  runningQuietMillis: 90_000,
  /** How long a stage waits for a cluster that does not answer before the attempt fails. */
  unreachableMillis: 15 * 60_000,
  /** After its grace, for the script to end the job, before the cluster is asked to. */
  stopMarginMillis: 3_000,
  /** And then for the cluster. */
  clusterStopMillis: 8_000,
  /** Longest cluster message about a job that failed to start, in characters. */
  messageCharactersMax: 2_000
} as const
