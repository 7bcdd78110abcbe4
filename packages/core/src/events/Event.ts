/** An event: something that happened to a resource, told once and never changed (service-api 2.7, 6.1). */
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { EventId } from "../ids/Id.ts"
import * as JsonTexts from "../json/JsonTexts.ts"
import type { Partition } from "../partition/Partition.ts"
import * as Rendered from "../resources/Rendered.ts"
import { type Millis, toIso } from "../time/Timestamp.ts"
import { newest } from "../versions/ApiVersions.ts"
import { EventResource } from "./EventResource.ts"
import type { StandardSchema } from "./StandardSchema.ts"

/** An entry of the public catalog. */
export interface EventType {
  readonly type: string
  readonly domain: string
  readonly description: string
  /** A schema of the event's object, for event types of a host; never shown, and changes nothing. */
  readonly schema?: StandardSchema
  /** Makes an example of the event's object, for test events; without one they have only an id and the domain. */
  readonly example?: () => Schema.JsonObject
}

/** What a service tells: the resource as its GET shows it, without secrets or capabilities. */
export interface EventDraft {
  readonly type: string
  readonly object: Schema.JsonObject
  /** The traceparent of the resource; by default the traceparent of the publisher. */
  readonly traceparent?: string | undefined
}

/**
 * An event as stored, in the newest API version of its time. `body` is the exact text for signing and sending, and for `GET
 * /v1/events/{id}` in this version.
 */
export interface StoredEvent {
  readonly id: EventId
  readonly type: string
  readonly createdAt: Millis
  readonly body: string
}

/** The members before `data`, in the order of the body. */
const renderHead = Rendered.by(
  EventResource.mapFields(Struct.omit(["data"])),
  (partition: Partition, id: EventId, createdAt: Millis, type: string) => ({
    id,
    object: "event",
    type,
    created_at: toIso(createdAt),
    workspace_id: partition.workspace,
    livemode: partition.livemode,
    api_version: newest
  })
)

/**
 * Writes the event of service-api 2.7. Serializes the event once, and reuses the text of a resource that was rendered
 * before.
 */
export const make = (partition: Partition, id: EventId, createdAt: Millis, draft: EventDraft): StoredEvent => {
  const head = JSON.stringify(renderHead(partition, id, createdAt, draft.type))
  return {
    id,
    type: draft.type,
    createdAt,
    body: `${head.slice(0, -1)},"data":{"object":${JsonTexts.of(draft.object)}}}`
  }
}
