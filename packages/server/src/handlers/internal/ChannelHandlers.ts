/** The routes of channels (contract 14.27). */
import { ChannelsApi } from "@limbeck/api/ChannelsApi"
import * as ChannelResource from "@limbeck/chat/channel/ChannelResource"
import { Channels } from "@limbeck/chat/channel/Channels"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

export const make = Effect.map(Channels, (channels) =>
  handlersOf(ChannelsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(channels.create(partition, payload), (channel) => ChannelResource.render(partition, channel)),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "channels", query },
        (request) => channels.page(partition, request),
        (items) => items.map((item) => ChannelResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(channels.get(partition, params.channel_id), (channel) => ChannelResource.render(partition, channel)),
    update: ({ caller: { partition }, params, payload }) =>
      Effect.map(channels.update(partition, params.channel_id, payload), (channel) =>
        ChannelResource.render(partition, channel)
      ),
    delete: ({ caller: { partition }, params: { channel_id: id } }) =>
      Effect.as(channels.remove(partition, id), { id, object: "channel" as const, deleted: true as const })
  })
)
