/**
 * Every pool shared by the workspaces of one process, with its size. Workers and waiting rooms use this table, so a new
 * pool needs a line here; docs/operate/pools.md explains each, and a test compares the two.
 */

export interface Pool {
  readonly size: number
  readonly unit: "slots" | "bytes"
}

/** A pool with this number of slots. */
export const slots = (size: number) => ({ size, unit: "slots" }) as const
const bytes = (size: number) => ({ size, unit: "bytes" }) as const

export const Pools = {
  /** Answers and callbacks of the chat worker: each waits for a source or a receiver, and costs a socket. */
  chatAnswers: slots(512),
  /** Runs: they mostly wait for a trainer, an endpoint or a thread. */
  runs: slots(16),
  /** Runs that are planned once their version is built: a few short statements each, and perhaps a count of tokens. */
  runPlans: slots(4),
  /** Uploads being parsed. A row of the largest size takes about 75 MB of memory. */
  uploads: slots(6),
  /** Dataset versions that are built, with the same memory for each. */
  versions: slots(6),
  /** Pulls: they mostly wait for a connector's server. */
  pulls: slots(16),
  /** Deployments being provisioned: each may load a student or wait for its server. */
  provisions: slots(4),
  /** Students of retraining runs that become challengers: a transaction each. */
  challengers: slots(4),
  /** Deployments whose calls are compared: a few short statements each. */
  driftReviews: slots(4),
  /** Students served by the server's own processes: each is a process, or an adapter of one. */
  studentProcesses: slots(128),
  /** Expired holds being settled: a few short statements each. */
  holdExpiries: slots(4),
  /** Recoveries of deliveries: one transaction for each step. */
  recoveries: slots(4),
  /** Questions to upstreams that verify a student's answers: few, so that calls with a client keep their sockets. */
  verifications: slots(8),
  /** Copies of calls at the endpoints of students in shadow: few, for the same reason. */
  shadowEndpoints: slots(32),
  /** Shadow predictions of builtin students, on the main thread, one at a time. */
  shadowBuiltins: slots(1),
  /** Copies of calls waiting for one of the three pools above, or in it. A copy without a slot is dropped and counted. */
  shadowCopies: slots(1_000),
  shadowCopyBytes: bytes(64 * 1024 ** 2),
  /** Token counts of a version: each has a thread with a large vocabulary in memory. */
  tokenCounts: slots(1),
  /** Trainers' completions under judgement: each waits for a source or a receiver. */
  judgedCompletions: slots(64),
  /** Packed proxy requests being unpacked: each may take the memory of the largest body. */
  unpackedBodies: slots(8),
  /** Bytes of bodies of requests under way: 16 of the largest that the proxy takes, and some thousand usual ones. A host may set it. */
  bodyBytes: bytes(256 * 1024 ** 2),
  /** Attempts at webhook deliveries that are under way and not slow: a workspace that is alone has 512. */
  webhookAttempts: slots(1_024),
  /** Slow attempts at webhook deliveries: a workspace that is alone has 2,048, one for each of its hanging endpoints. */
  webhookSlowAttempts: slots(4_096)
} as const satisfies Readonly<Record<string, Pool>>
