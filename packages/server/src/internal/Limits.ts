/** Every bound of the server, with its reason. What a host may set is in Settings. */
export const Limits = {
  /** Parameters of a query: no route has more than ten. */
  queryParametersMax: 100,
  /** Characters of an upload's capability, of which ours have 43, and had fewer than 120: what is longer is not worth a digest. */
  capabilityMax: 512,
  /** Bytes of completions that a trainer has scored at once: sixteen thousand tokens of each, as JSON. */
  scoringBytesMax: 4 * 1024 ** 2,
  /** Bytes of a proxied body (contract 1): a conversation with images fits. */
  proxyBodyBytesMax: 16 * 1024 ** 2,
  /** How long a body may stand still: a client that lives sends more often, and who sends nothing holds memory. */
  bodyIdleMillisMax: 30_000,
  /** How long a body may take in all, as node:http has it: the largest one at 56 KB/s. The content of an upload is not held to it. */
  bodyMillisMax: 300_000,
  /** What is left of a body after its request was answered is waited for so long, so that its sender reads the answer. */
  lingerMillis: 10_000,
  /** Characters of a path, of which ours have fewer than 100 and two ids: what is longer is looked up nowhere. */
  pathMax: 8_192,
  /** Characters of a path that an error repeats. */
  shownPathMax: 200,
  /** An outage of storage is logged so often, however many requests it refuses. */
  outageLogMillis: 10_000
} as const
