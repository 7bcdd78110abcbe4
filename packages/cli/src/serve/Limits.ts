/** Every bound of the standalone server's socket, with its reason. */
export const Limits = {
  /** Bytes of all headers of a request together. Node's own bound is 16 KiB, which a long list of tags or another system's token passes. */
  headBytesMax: 65_536,
  /** The content of an upload may take its 24 hours. All other bodies have 5 minutes, and 30 seconds between two pieces: see the server's. */
  requestMillisMax: 86_400_000,
  /** Connections at a time, unless MAX_CONNECTIONS says otherwise: with a head of 64 KiB each they take 128 MB, as nobody's do. */
  connectionsMax: 2_000,
  /** Requests under way have this time to finish after a stop was asked for (contract 13). */
  drainMillis: 10_000,
  /** A stop as a whole: the drain, and 4 s to hand work back and to flush. Storage that does not answer cannot delay it further. */
  stopMillisMax: 14_000,
  /** Connections beyond, which are told so with a 503; those beyond these are closed. */
  refusedConnectionsMax: 100
} as const
