/** An event in the API and in webhooks (service-api 2.7). */
import * as Schema from "effect/Schema"
import { idOf, Timestamp } from "../resources/WireSchemas.ts"

export const EventResource = Schema.Struct({
  id: idOf("evt"),
  object: Schema.Literal("event"),
  type: Schema.String,
  created_at: Timestamp,
  workspace_id: idOf("ws"),
  livemode: Schema.Boolean,
  api_version: Schema.String,
  data: Schema.Struct({ object: Schema.JsonObject })
}).annotate({ identifier: "Event" })
