/** A channel as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Channel } from "./Channel.ts"

export const render = ({ livemode }: Partition, channel: Channel) => ({
  id: channel.id,
  object: "channel" as const,
  livemode,
  name: channel.name,
  kind: channel.kind,
  agent: channel.agent,
  created_at: toIso(channel.createdAt),
  updated_at: toIso(channel.updatedAt)
})
