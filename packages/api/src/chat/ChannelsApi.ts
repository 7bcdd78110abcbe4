/** Channels: where questions come from (contract 4, 14.27). An internal group: the document leaves it out (contract 12). */
import { ChannelResource as Channel } from "@limbeck/chat/channel/ChannelResource"
import { ChatLimits } from "@limbeck/chat/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { asCreated, idOf, listOf, listQuery, Name, nullMeans, Reference } from "../contract/Common.ts"
import { operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Channel }

const ChannelKind = Schema.NonEmptyString.check(Characters.isMaxCharacters(ChatLimits.channelKindMax))
const agent = nullMeans("null: none", Reference)

export const ChannelCreate = Schema.Struct({ name: Name, kind: ChannelKind, agent }).annotate({
  identifier: "ChannelCreate"
})
export const ChannelUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  kind: Schema.optionalKey(ChannelKind),
  agent
}).annotate({ identifier: "ChannelUpdate" })

export const ChannelDeleted = Schema.Struct({
  id: idOf("chn"),
  object: Schema.Literal("channel"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "ChannelDeleted" })

const params = { channel_id: idOf("chn") }
const read = { access: "channels:read" } as const
const write = { access: "channels:write" } as const

export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.post("create", "/v1/channels", {
      payload: ChannelCreate,
      success: asCreated(Channel),
      error: writeErrors
    }).annotateMerge(
      operation("createChannel", "Where questions come from, and who answers there", {
        ...write,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/channels", {
      query: listQuery,
      success: listOf(Channel),
      error: readErrors
    }).annotateMerge(operation("listChannels", "Channels of the caller's mode, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/channels/:channel_id", {
      params,
      success: Channel,
      error: readErrors
    }).annotateMerge(operation("getChannel", "One channel", read))
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/channels/:channel_id", {
      params,
      payload: ChannelUpdate,
      success: Channel,
      error: writeErrors
    }).annotateMerge(operation("updateChannel", "Change a channel; what is absent stays", write))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/channels/:channel_id", {
      params,
      success: ChannelDeleted,
      error: writeErrors
    }).annotateMerge(operation("deleteChannel", "Delete a channel; its conversations stay", write))
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
