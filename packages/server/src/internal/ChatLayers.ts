/** The services of conversations, and the worker that answers and calls back. */
import { render, statusOf } from "@limbeck/api/ErrorTable"
import * as Agents from "@limbeck/chat/agent/Agents"
import * as Chat from "@limbeck/chat/answer/Chat"
import * as ChatWorker from "@limbeck/chat/answer/ChatWorker"
import * as Callbacks from "@limbeck/chat/callback/Callbacks"
import * as Channels from "@limbeck/chat/channel/Channels"
import * as Conversations from "@limbeck/chat/conversation/Conversations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"

/** A message shows a failure in the envelope's form. */
const errorRendering: Chat.ErrorRendering = {
  statusOf,
  faultOf: (error) => {
    const { code, message } = render(error, "").error
    return { code, message }
  }
}

export const services = Layer.mergeAll(Chat.layerWith(errorRendering), Conversations.layer).pipe(
  Layer.provideMerge(Layer.provideMerge(Channels.layer, Agents.layer))
)

const callbacks = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => Callbacks.layerWith({ brand })))

export const worker = Layer.provide(ChatWorker.layerWith(errorRendering), callbacks)
