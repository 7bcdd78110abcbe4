/** A channel as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Channel } from "./Channel.ts"

export const ChannelResource = Schema.Struct({
  id: idOf("chn"),
  object: Schema.Literal("channel"),
  livemode: Schema.Boolean,
  name: Schema.String,
  kind: Schema.String,
  agent: Schema.NullOr(idOf("agt")),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Channel" })

export const render = Rendered.by(ChannelResource, ({ livemode }: Partition, channel: Channel) => ({
  id: channel.id,
  object: "channel",
  livemode,
  name: channel.name,
  kind: channel.kind,
  agent: channel.agent,
  created_at: toIso(channel.createdAt),
  updated_at: toIso(channel.updatedAt)
}))
