/** Every bound of webhooks, with its reason. */
import { dayMillis } from "@limbeck/core/time/Timestamp"

export const WebhookLimits = {
  /** From DNS to the last body byte (service-api 6.4). */
  attemptMillis: 5_000,
  /** Kept of a response body, for `body_snippet` (contract 8). */
  snippetBytes: 1_024,
  /** Read of a response body, decompressed; the rest is cut (contract 8, 14.7). */
  responseBytes: 64 * 1_024,
  /** Entries of `enabled_events`, after folding duplicates (contract 8, 14.5). */
  enabledEventsMax: 100,
  /** A claim must outlive an attempt, and a dead worker's work is due again within 15 s of a restart (contract 14.4). */
  leaseMillis: 10_000,
  /** What must be left of a lease for an attempt to end and be written within it. */
  attemptLeaseMillis: 6_000,
  /** Of the attempts that are not slow, those reserved for endpoints that responded last time: hundreds of unknown ones do not shut them out. */
  concurrencyReserved: 256,
  /** An attempt that lasts this long counts as slow, no longer among them: receivers that work take less. */
  slowMillis: 500,
  /** How often attempts are checked for that. */
  slowLookMillis: 100,
  /** Of slow attempts, retries. */
  slowRetryMax: 2_048,
  /** Endpoints remembered as silent; they get one attempt at a time. */
  silentMax: 2_000,
  /** Endpoints remembered as responding, and as swift; the others are strangers. */
  respondingMax: 20_000,
  swiftMax: 20_000,
  /** Concurrent attempts to one endpoint, so that a hanging endpoint leaves the others their share. */
  perEndpointMax: 16,
  /** Deliveries of one endpoint per claim: half of its share, so that a claim follows only every few attempts. */
  perEndpointClaimMax: 8,
  /** A success within this makes an endpoint swift: its line moves several times a second. */
  swiftMillis: 250,
  /** First attempts taken of a swift endpoint in one claim: a claim costs little more for many. */
  swiftClaimMax: 48,
  /** Of a swift endpoint, claimed and in line for a slot: the next claim comes back before the line is empty. */
  lineMax: 64,
  /** In all lines together; each holds the text of its event. */
  waitingMax: 1_024,
  /** Longest wait in line: bounds the age of the endpoint's data, and leaves lease time for the attempt. */
  lineMillis: 1_000,
  /** Of all attempts, retries and redeliveries: half, so that first attempts always find room, and the other way round. */
  retryConcurrencyMax: 512,
  perEndpointRetryMax: 8,
  perEndpointRetryClaimMax: 4,
  /** How long retries may wait while first attempts keep coming and no retry was due at the last look. */
  retryLookMillis: 50,
  /** Outcomes written in one statement: as many as one workspace has quick attempts under way. */
  settleBatchMax: 512,
  /** Outcomes to wait for while more arrive: beyond this a statement costs little less for each. */
  settleLingerMax: 64,
  /** How long the write of an outcome is retried; then the lease ends and the attempt is repeated. */
  settleRetryMillis: 5_000,
  /** Servers' clocks may differ by this, which exceeds a lease: a later time comes from a wrong clock. */
  clockToleranceMillis: 60_000,
  /** How often the dispatcher looks for due work without a doorbell: no less often than leases end. */
  pollMillis: 10_000,
  /** The same while due work waits for an endpoint without room, which hides when the others are due. */
  crowdedPollMillis: 100,
  /** What `success_rate_24h` looks back on (service-api 2.6). */
  statsWindowMillis: dayMillis,
  /** Signing secrets kept decrypted in memory. */
  openSecretsMax: 10_000,
  /** How long the previous secret signs too after a rotation, by default (contract 8). */
  secretOverlapSeconds: 24 * 3_600,
  secretOverlapSecondsMax: 7 * 24 * 3_600,
  /** How long after its creation a delivery may be redelivered (service-api 6.4). */
  redeliveryMillis: 30 * dayMillis,
  /** Dead letters moved per transaction: short enough that other transactions hardly wait. */
  recoveryBatch: 500,
  /** Spacing of deliveries in one recovery: 100 a second, a small part of a server's capacity. */
  recoverySpacingMillis: 10,
  /** A step of a recovery takes well under a second; a dead worker's recovery resumes within 15 s (contract 14.4). */
  recoveryLeaseMillis: 10_000,
  /** How often recoveries are looked for without a doorbell: a dead worker's is found within 5 s of its lease's end. */
  recoveryPollMillis: 15_000,
  /** How often expired history is removed: often enough for retention in days, and cheap for an idle database. */
  historyRoundMillis: 6 * 3_600_000,
  /** The same when another transaction held a lock. */
  historyRetryMillis: 10 * 60_000,
  /** An endpoint is examined for days of failure at most once in this time. */
  disablingCheckMillis: 60_000,
  /** Endpoints whose last examination is remembered. */
  disablingCheckedMax: 10_000,
  descriptionMax: 1_000
} as const
