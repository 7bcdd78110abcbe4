/**
 * Asks a model for one answer, by the way of every other call: through the proxy, which finds the source or the deployment,
 * captures the call and breaks it off with whoever waits for it.
 */
import { CallStore } from "@limbeck/capture/call/CallStore"
import { Decoder } from "@limbeck/capture/call/Decoder"
import * as Completion from "@limbeck/capture/source/Completion"
import type { CallError } from "@limbeck/capture/source/Forward"
import { type NotFound, notFound } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Proxy } from "@limbeck/serving/proxy/Proxy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Agent } from "../../agent/Agent.ts"
import { Agents } from "../../agent/Agents.ts"
import type { Conversation } from "../../conversation/Conversation.ts"
import { ConversationStore } from "../../conversation/ConversationStore.ts"
import { AnswerTimeout, type ModelFailed } from "../../Errors.ts"
import { ChatLimits } from "../../Limits.ts"
import type { Message } from "../../message/Message.ts"
import * as AnswerReading from "./AnswerReading.ts"
import * as PromptRules from "./PromptRules.ts"
import * as ReplyRules from "./ReplyRules.ts"
import * as Target from "./Target.ts"

export type AskError = CallError | NotFound | Target.NoTarget | ModelFailed | AnswerTimeout

/** The tag of every captured call of a conversation, beside the id of its agent. */
const chatTag = "chat"

const headersOf = (stream: boolean) => ({
  "content-type": "application/json",
  accept: stream ? "text/event-stream" : "application/json",
  "accept-encoding": "identity"
})

export interface AskOptions {
  readonly onText: AnswerReading.OnText
  /** The call id of the previous attempt; undefined for the first attempt. */
  readonly before: string | undefined
}

const replyIn = (completion: Completion.Completion, agent: Agent | null, message: Message, call: string | null) =>
  ReplyRules.replyOf(completion, { agent, call, conversation: message.conversation })

/** The answer of an earlier attempt whose process has died, if that call was captured whole. */
const makeAnsweredBefore = Effect.gen(function* () {
  const calls = yield* CallStore

  return Effect.fnUntraced(function* (partition: Partition, call: string) {
    const captured = Option.getOrUndefined(yield* calls.find(partition, call))
    if (captured?.outcome !== "succeeded" || captured.response === null || !captured.responseIsJson) return undefined
    return Completion.read(JSON.parse(captured.response))
  })
})

/** `statusOf`: the HTTP status that a failure gives the client. */
export const make = Effect.fnUntraced(function* (statusOf: (error: CallError) => number) {
  const proxy = yield* Proxy
  const store = yield* ConversationStore
  const agents = yield* Agents
  const decoder = yield* Decoder
  const ids = yield* Ids
  const answeredBefore = yield* makeAnsweredBefore
  const targetOf = yield* Target.make

  const bodyOf = Effect.fnUntraced(function* (
    partition: Partition,
    message: Message,
    { agent, model, stream }: Pick<PromptRules.Prompt, "agent" | "model" | "stream">
  ) {
    // The question stands right before its answer.
    const limit = ChatLimits.historyMessagesMax + 1
    const [question, ...before] = yield* store.before(partition, message.conversation, message.place, limit)
    return PromptRules.bodyOf({ agent, model, stream, before, question: question?.text ?? "" })
  })

  const agentOf = (partition: Partition, { agent }: Message) =>
    agent === null ? Effect.succeed<Agent | null>(null) : agents.get(partition, agent, Target.targetField)

  const ask = Effect.fnUntraced(
    function* (partition: Partition, { sandbox }: Conversation, message: Message, { before, onText }: AskOptions) {
      const stream = onText !== null
      const agent = yield* agentOf(partition, message)
      const answered = before === undefined ? undefined : yield* answeredBefore(partition, before)
      const known = answered === undefined ? undefined : replyIn(answered, agent, message, before ?? null)
      if (known !== undefined && known.text.length <= ChatLimits.answerTextMax) return known
      const { model, source } = yield* targetOf(partition, agent)
      const id = message.attemptedCall ?? (yield* ids.make("call"))
      const answer = yield* proxy.send(partition, {
        id,
        endpoint: "chat.completions",
        target: "/chat/completions",
        method: "POST",
        headers: headersOf(stream),
        body: yield* bodyOf(partition, message, { agent, model, stream }),
        source,
        sourceHeader: Target.targetField,
        tags: [chatTag, ...(agent === null ? [] : [agent.id])],
        // Keeps the conversation on one side of a deployment's traffic, and joins feedback to its calls.
        externalId: message.conversation,
        isRecorded: !sandbox,
        statusOf
      })
      const completion = yield* AnswerReading.completionOf(answer, model, onText)
      const reply = replyIn(completion, agent, message, sandbox ? null : id)
      if (reply === undefined) return yield* AnswerReading.failWith(model, "no_text")
      return reply.text.length > ChatLimits.answerTextMax ? yield* AnswerReading.failWith(model, "too_long") : reply
    },
    Effect.scoped,
    Effect.provideService(Decoder, decoder)
  )

  /** Returns the model's answer within the time limit; with `onText`, also streams its text. */
  return Effect.fn("Chat.ask")(
    (partition: Partition, message: Message, options: AskOptions): Effect.Effect<ReplyRules.Reply, AskError> =>
      Effect.flatMap(store.find(partition, message.conversation), (found) =>
        Option.isNone(found)
          ? Effect.fail(notFound("conversation", message.conversation))
          : Effect.timeoutOrElse(ask(partition, found.value, message, options), {
              duration: ChatLimits.answerMillis,
              orElse: () => Effect.fail(new AnswerTimeout({ secondsMax: ChatLimits.answerMillis / 1_000 }))
            })
      )
  )
})
