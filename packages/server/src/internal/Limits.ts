/** Every bound of the server, with its reason. Settings holds the configurable ones. */
export const Limits = {
  /** Parameters of a query: no route has more than ten. */
  queryParametersMax: 100,
  /**
   * Maximum characters of an upload's capability; ours have 43, and had fewer than 120: longer ones are not worth a digest.
   */
  capabilityMax: 512,
  /** Bytes of completions that a trainer has scored at once: sixteen thousand tokens of each, as JSON. */
  scoringBytesMax: 4 * 1024 ** 2,
  /** Bytes of a proxied body (contract 1): a conversation with images fits. */
  proxyBodyBytesMax: 16 * 1024 ** 2,
  /** How long a body may stand still: a client that lives sends more often, and who sends nothing holds memory. */
  bodyIdleMillisMax: 30_000,
  /** Total time of a body, as in node:http: the largest one at 56 KB/s. Does not apply to upload contents. */
  bodyMillisMax: 300_000,
  /** Wait for the rest of a body after the response, so that its sender reads the response. */
  lingerMillis: 10_000,
  /** Maximum characters of a path; ours have fewer than 100 and two ids: longer ones are unknown. */
  pathMax: 8_192,
  /** Services that a request adds to those of the server: about ten by its mount, the edge, the router and a transaction. */
  requestServicesMax: 24,
  /** Characters of a path repeated in an error. */
  shownPathMax: 200,
  /** Interval of log lines about a storage outage. */
  outageLogMillis: 10_000
} as const
