/**
 * A language model of `effect/ai` over the proxy: a source answers each request as a chat completion. The call is charged like any
 * other, and not captured: captured calls are traffic to learn from.
 */
import * as CallOf from "@limbeck/capture/call/CallOf"
import { Decoder } from "@limbeck/capture/call/Decoder"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Completion from "@limbeck/capture/source/Completion"
import type { CallError } from "@limbeck/capture/source/Forward"
import { isSuccess } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Proxy } from "@limbeck/serving/proxy/Proxy"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ModelFailed } from "../../Errors.ts"
import * as ChatForm from "./ChatForm.ts"

export interface ModelTarget {
  readonly partition: Partition
  readonly source: string
  readonly model: string
}

const headers = { "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" }

/** `statusOf`: the HTTP status that a failure gives the client. */
export const make = Effect.fnUntraced(function* (statusOf: (error: CallError) => number) {
  const proxy = yield* Proxy
  const decoder = yield* Decoder
  const ids = yield* Ids

  const complete = Effect.fnUntraced(
    function* ({ model, partition, source }: ModelTarget, body: Uint8Array) {
      const failed = (fault: ModelFailed["fault"], detail: string | null = null) =>
        Effect.fail(new ModelFailed({ model, fault, detail }))
      const answer = yield* proxy.send(partition, {
        id: yield* ids.make("call"),
        endpoint: "chat.completions",
        target: "/chat/completions",
        method: "POST",
        headers,
        body,
        source,
        sourceHeader: "source",
        tags: [],
        externalId: null,
        isRecorded: false,
        statusOf
      })
      const response: Array<Uint8Array> = []
      let bytes = 0
      yield* Stream.runForEach(Body.toStream(answer.body), (chunk) => {
        response.push(chunk)
        bytes += chunk.length
        return bytes > CaptureLimits.answerBytesMax ? failed("too_long") : Effect.void
      }).pipe(Effect.catchTag("UpstreamFailure", ({ reason }) => failed("broke_off", reason)))
      if (!isSuccess(answer.status)) return yield* failed("status", String(answer.status))
      const completion = yield* CallOf.completionOf({
        endpoint: "chat.completions",
        contentType: answer.headers["content-type"] ?? null,
        contentEncoding: answer.headers["content-encoding"] ?? null,
        response
      })
      return Completion.read(completion) ?? (yield* failed("no_completion"))
    },
    Effect.scoped,
    Effect.provideService(Decoder, decoder)
  )

  /** A call id of ours: providers repeat theirs from one answer to the next. */
  const partsOf = Effect.fnUntraced(function* ({ refusal, text, toolCalls }: Completion.Completion) {
    const spoken = text ?? refusal ?? ""
    const parts: Array<Response.PartEncoded> = spoken === "" ? [] : [{ type: "text", text: spoken }]
    for (const { arguments: input, name } of toolCalls) {
      parts.push({ type: "tool-call", id: yield* ids.make("tlc"), name, params: ChatForm.inputOf(input) })
    }
    return parts
  })

  /** `fail` receives the reason in our own terms, which `AiError` has no place for. */
  return (target: ModelTarget, fail: (reason: CallError | ModelFailed) => void) =>
    LanguageModel.make({
      generateText: ({ prompt, tools }) =>
        complete(target, ChatForm.bodyOf(target.model, prompt, tools)).pipe(
          Effect.flatMap(partsOf),
          Effect.mapError((reason) => {
            fail(reason)
            return AiError.make({
              module: "SourceModel",
              method: "generateText",
              reason: new AiError.InternalProviderError({ description: reason.message })
            })
          })
        ),
      streamText: () => Stream.die(new Error("The assistant streams no text"))
    })
})
