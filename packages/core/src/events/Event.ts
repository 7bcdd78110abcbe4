/** An event: something that happened to a resource, told once and never changed (service-api 2.7, 6.1). */
import type * as Schema from "effect/Schema"
import type { EventId } from "../ids/Id.ts"
import * as JsonTexts from "../json/JsonTexts.ts"
import type { Partition } from "../partition/Partition.ts"
import { type Millis, toIso } from "../time/Timestamp.ts"
import { newest } from "../versions/ApiVersions.ts"
import type { StandardSchema } from "./StandardSchema.ts"

/** An entry of the public catalog. */
export interface EventType {
  readonly type: string
  readonly domain: string
  readonly description: string
  /** What the object of such an event must be; never shown, and it changes nothing. For types of a host. */
  readonly schema?: StandardSchema
}

/** What a service tells: the resource as its GET shows it, without secrets or capabilities. */
export interface EventDraft {
  readonly type: string
  readonly object: Schema.JsonObject
  /** Of what it tells of; by default of what publishes it. */
  readonly traceparent?: string | undefined
}

/**
 * As stored, in the version that was the newest then. `body` is the very text that webhooks sign and send, and that `GET /v1/events/{id}`
 * answers, to all who do not want an older version.
 */
export interface StoredEvent {
  readonly id: EventId
  readonly type: string
  readonly createdAt: Millis
  readonly body: string
}

/** Writes the event of service-api 2.7. Its bytes are made once; those of a resource that was shown already are not made again. */
export const make = (partition: Partition, id: EventId, createdAt: Millis, draft: EventDraft): StoredEvent => {
  const head = JSON.stringify({
    id,
    object: "event",
    type: draft.type,
    created_at: toIso(createdAt),
    workspace_id: partition.workspace,
    livemode: partition.livemode,
    api_version: newest
  })
  return {
    id,
    type: draft.type,
    createdAt,
    body: `${head.slice(0, -1)},"data":{"object":${JsonTexts.of(draft.object)}}}`
  }
}
