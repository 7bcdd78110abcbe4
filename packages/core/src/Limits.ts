/** Every bound of core, with its reason. */
export const Limits = {
  /** Lists answer this many rows by default (service-api 4.4). */
  pageDefault: 20,
  /** Characters of an id or a name of an existing resource: no name is longer. */
  referenceMax: 255,
  /** A larger `limit` is clamped to this (service-api 4.4). */
  pageMax: 100,
  /**
   * Members and items of a JSON body in total, because decoding takes microseconds for each. Twice the bound of a row.
   */
  bodyMembersMax: 20_000,
  /** How long a stored answer is replayed (service-api 4.5). */
  idempotencyHours: 24,
  /**
   * A key reserved for an operation outside of a transaction is free so long after its process died (contract 14.4); while the
   * process lives, it prolongs the reservation so often.
   */
  idempotencyReservationMillis: 12_000,
  idempotencyHeartbeatMillis: 3_000,
  /** How often a key's lock is tried again by the operation that has reserved the key: a heartbeat or a retry holds it for moments. */
  idempotencyLockMillis: 20,
  /** Interval and number of looks for a resource on its way to storage, two seconds in total. */
  lookMillis: 200,
  looksMax: 11,
  /** Longest idempotency key, in visible ASCII characters (contract 10). */
  idempotencyKeyMax: 255,
  /** Characters of a workspace's name, which fits on a line, and of its plan, a single word. */
  workspaceNameMax: 200,
  workspacePlanMax: 64,
  /** Characters of an e-mail address (RFC 5321, 4.5.3.1.3). */
  emailMax: 254,
  /** Maximum workspaces of one person: each sign-in reads all of them. */
  personWorkspacesMax: 1_000,
  /** Workspaces that one person can create; a thousand took 17 s to create. The operator can create more. */
  createdWorkspacesMax: 100,
  /** Active tokens per person and mode, including tokens made by tokens: more than a team's programs and laptops need. */
  personTokensMax: 100,
  /** Lifetime of an invitation: covers a week of absence. */
  invitationMillis: 7 * 24 * 3_600_000,
  /** Open invitations per workspace, and per inviting person over all workspaces: a large team can join in one day. */
  workspaceInvitationsMax: 100,
  personInvitationsMax: 100,
  /** Invitations listed in a session, newest first: the response also reads the name of each workspace. */
  shownInvitationsMax: 100,
  /** Lifetime of a sign-in link: it travels by mail or chat, where others may read it later. */
  signInLinkMillis: 15 * 60_000,
  /** An idle session ends after a working day; a used one after a week. */
  sessionIdleMillis: 12 * 3_600_000,
  sessionMillis: 7 * 24 * 3_600_000,
  /** Longest overlap of an old token after a rotation (contract 2). */
  tokenOverlapSecondsMax: 7 * 24 * 3600,
  /** Patterns of models in the limits of a token: more than providers a team uses; and characters of one: no id of a model is longer. */
  modelPatternsMax: 100,
  modelPatternMax: 255,
  /** Largest rate limit of a token: more than one Postgres writes rows for. */
  requestsPerMinuteMax: 1_000_000,
  /** A statement of a request: its client has a 503 within 6 s (contract 15.14). */
  requestPatienceMillis: 5_000,
  /** Time of a worker's statement: hundreds of times its usual duration. */
  workPatienceMillis: 60_000,
  /** A statement over all rows of a version: millions, on a busy disk. */
  bulkPatienceMillis: 600_000,
  /**
   * Longest wait of work for its next attempt, with a wide margin over leases: a later due time came from a clock ahead of
   * ours.
   */
  workWaitMaxMillis: 120_000,
  /** Items per claim, from as many workspaces; a few claims fill the largest pool. */
  claimMax: 64,
  /** How old an answer of storage may be on a hot path, unless somebody says that it changed. */
  recentMillis: 1_000,
  /** How long known answers bridge a storage outage. */
  recentStaleMillis: 3_600_000,
  /** Answers kept at once. */
  recentMax: 10_000,
  /** Cached entries stored on disk for the next start: a megabyte, encrypted and written in some milliseconds. */
  snapshotMax: 1_000,
  /** Interval of storing changes; this process's own changes are stored at once. */
  snapshotMillis: 5_000,
  /** Maximum age of an unchanged entry's stored time: a killed server continues for this much less than an hour. */
  snapshotGrainMillis: 300_000,
  /**
   * Bytes per stored piece of a blob: large enough to amortise a statement, and with its envelope below 128 KiB, the
   * last size of doubling buffers. Pieces of 256 KiB took up to 90 MB more memory.
   */
  blobPieceBytes: 124 * 1024,
  /** Longest tenant URL, in characters: the usual limit of servers and proxies. */
  urlMax: 2_048,
  /** Unfinished content without a write for this long is abandoned: requests end after minutes. */
  partQuietMillis: 24 * 3_600_000
} as const
