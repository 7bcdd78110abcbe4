/** Webhooks without an engine: a signed request by undici, and an indexed row per attempt like ours. */
import { createHmac, randomUUID } from "node:crypto"
import { Pool } from "undici"
import * as Ages from "./Ages.ts"

export interface Job {
  readonly id: string
  readonly body: string
}

/** Of one claim. */
export const claimSize = 100

/** About what an event of ours says. */
export const body = JSON.stringify({ type: "bench.tick", data: { object: { id: "tick_1", note: "x".repeat(480) } } })

export const createAttempts = [
  `CREATE TABLE hand_attempts (id text NOT NULL, partition text NOT NULL, delivery_id text NOT NULL, endpoint_id text NOT NULL,
    number bigint NOT NULL, trigger text NOT NULL, succeeded boolean NOT NULL, result json NOT NULL, started_at bigint NOT NULL,
    PRIMARY KEY (partition, delivery_id, id))`,
  "CREATE INDEX hand_attempts_endpoint ON hand_attempts (partition, endpoint_id, succeeded, started_at)"
]

/** $1: the attempts as JSON. */
export const insertAttempts = `INSERT INTO hand_attempts
  SELECT id, 'ws_1', delivery_id, 'ep_1', 1, 'automatic', succeeded, result, started_at FROM json_to_recordset($1::json)
  AS sent (id text, delivery_id text, succeeded boolean, result json, started_at bigint)`

const secret = "whsec_0123456789abcdef0123456789abcdef"

/** Sends a job, and returns its attempt. */
export const sender = (origin: string) => {
  const pool = new Pool(origin, { connections: 64 })
  return async (job: Job) => {
    const startedAt = Math.round(Ages.now())
    const seconds = Math.floor(startedAt / 1000)
    const signature = createHmac("sha256", secret).update(`${seconds}.${job.body}`).digest("hex")
    const response = await pool.request({
      method: "POST",
      path: "/ok/0",
      body: job.body,
      headers: {
        "content-type": "application/json",
        "user-agent": "Service-Webhooks/1.0",
        "service-signature": `t=${seconds},v1=${signature}`,
        "service-event-type": "bench.tick",
        "service-event-id": `evt_${job.id}`,
        "service-delivery-id": job.id
      }
    })
    const bodySnippet = (await response.body.text()).slice(0, 1_024)
    const { statusCode } = response
    const result = { statusCode, bodySnippet, durationMillis: Math.round(Ages.now() - startedAt), error: null }
    const succeeded = statusCode >= 200 && statusCode < 300
    return { id: `att_${randomUUID()}`, delivery_id: job.id, succeeded, result, started_at: startedAt }
  }
}
