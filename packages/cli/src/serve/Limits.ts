/** Every bound of the standalone server's process and socket, with its reason. */
export const Limits = {
  /**
   * Maximum bytes of a request's headers. Node's own limit is 16 KiB, too little for a long list of tags or another
   * system's token.
   */
  headBytesMax: 65_536,
  /** The content of an upload may take its 24 hours. All other bodies have 5 minutes, and 30 seconds between two pieces: see the server's. */
  requestMillisMax: 86_400_000,
  /** Default of MAX_CONNECTIONS: with heads of 64 KiB each, unusually large, they take 128 MB. */
  connectionsMax: 2_000,
  /**
   * Idle connections stay open for so long by default: longer than a proxy keeps them (nginx and AWS's load balancer 60 s), so that
   * the proxy closes first. A connection that the server closes first may have a request on its way, which fails.
   */
  keepAliveSeconds: 75,
  /** After a start, a period with less load than this is idle: its garbage is collected then. A probe each second is less. */
  idleMillis: 2_000,
  idleLoadMax: 0.05,
  /** Requests under way have this time to finish after a stop was asked for (contract 13). */
  drainMillis: 10_000,
  /**
   * Total time of a stop: the drain, and 4 s to hand work back and to flush. Unresponsive storage cannot delay it further.
   */
  stopMillisMax: 14_000,
  /** Further connections, which get a 503; any beyond these are closed. */
  refusedConnectionsMax: 100,
  /** Connections to Postgres for statements and transactions, of all processes together: those of one that is alone. */
  poolMax: 10,
  /** A process needs one connection for work, and another so that a long statement blocks nothing else. */
  poolMin: 2,
  /** A command waits 30 s for the embedded database of a server that is starting or ending, as initdb on a slow disk takes. */
  embeddedPollMillis: 100,
  embeddedPollsMax: 300,
  /** Where a process has ended, another starts after so long; twice as long after each further end, up to the longest. */
  restartMillis: 250,
  restartMillisMax: 30_000,
  /** A process that lived longer was well: the next end is the first again. */
  shortLifeMillis: 60_000,
  /** Interval of the parent's pings to each process. */
  pingMillis: 1_000,
  /** A process that leaves more pings unanswered, one after the other, gets no new connections: no request may hold the main thread so long. */
  silentAfterPings: 3,
  /** With more it is killed and replaced: beyond what collecting all garbage of a full heap, or a machine without memory, takes. */
  hungAfterPings: 15,
  /** While a process starts it loads modules, for seconds on a busy machine. */
  startHungAfterPings: 60,
  /** A process that takes longer to tell its metrics is missing on the page; Prometheus waits 10 s. */
  metricsMillis: 1_000,
  /** Maximum age of pushed figures, the same as on a page scraped at that interval. */
  metricsFollowMillis: 10_000
} as const
