/**
 * The answer of an upstream in the dialect of the client, whole or as a stream, as the client asked for it. Errors, and
 * answers in the client's own dialect, pass unchanged.
 */
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as ServerSentEvents from "../call/stream/internal/ServerSentEvents.ts"
import { CaptureLimits } from "../Limits.ts"
import { isSuccess, UpstreamFailure, type UpstreamResponse } from "../upstream/Upstream.ts"
import * as AnswerHeaders from "./AnswerHeaders.ts"
import type { AnswerEvent } from "./answer/AnswerEvent.ts"
import type { AnswerHead, AnswerWriter, StreamWriter } from "./answer/AnswerWriter.ts"
import type { ConversationEndpoint } from "./CallConversation.ts"
import * as Translation from "./Translation.ts"

const encoder = new TextEncoder()

const parsed = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream")

const asksStream = ({ request }: AnswerHead): boolean => request["stream"] === true

/** An event of a stream ends with an empty line. */
const eventEnd = /\r\n\r\n|\n\n|\r\r/

/** Cuts the text of a stream into its events as it comes, and reads their data. */
class EventSplitter {
  readonly #decoder = new TextDecoder()
  #rest = ""

  /** The data of the events that are whole now. */
  push(bytes: Uint8Array): ReadonlyArray<Schema.Json> {
    const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(eventEnd)
    this.#rest = parts.pop() ?? ""
    return parts.flatMap(dataOf)
  }

  /** The data of an event that the stream ended within. */
  end(): ReadonlyArray<Schema.Json> {
    return dataOf(this.#rest)
  }

  get isTooLong(): boolean {
    return this.#rest.length > CaptureLimits.answerBytesMax
  }
}

const dataOf = (text: string): ReadonlyArray<Schema.Json> => {
  const event = new ServerSentEvents.Reader(text).next(Number.POSITIVE_INFINITY)
  const data = event === undefined ? undefined : parsed(event.data.join("\n"))
  return data === undefined ? [] : [data]
}

const streamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" }

const wholeResponse = (
  writer: AnswerWriter,
  head: AnswerHead,
  events: ReadonlyArray<AnswerEvent>
): UpstreamResponse => {
  const whole = encoder.encode(JSON.stringify(writer.whole(head, events)))
  const headers = { "content-type": "application/json", "content-length": String(whole.length) }
  return { status: 200, headers, body: Body.whole(whole) }
}

const written = (writer: StreamWriter, events: ReadonlyArray<AnswerEvent>): Uint8Array =>
  encoder.encode(events.map((event) => writer.write(event)).join(""))

const streamResponse = (
  writer: AnswerWriter,
  head: AnswerHead,
  events: ReadonlyArray<AnswerEvent>
): UpstreamResponse => {
  const stream = writer.stream(head)
  const pieces = events.map((event) => written(stream, [event])).filter(({ length }) => length > 0)
  return {
    status: 200,
    headers: streamHeaders,
    body: Body.flowing(Flow.prepend([...pieces, encoder.encode(stream.end())]))
  }
}

/** An answer in the client's dialect, made of its events. */
export const ofEvents = (
  endpoint: ConversationEndpoint,
  head: AnswerHead,
  events: ReadonlyArray<AnswerEvent>
): UpstreamResponse => {
  const writer = Translation.writers[endpoint]
  return asksStream(head) ? streamResponse(writer, head, events) : wholeResponse(writer, head, events)
}

const invalidAnswer = () => new UpstreamFailure({ reason: "invalid_response" })

/** Translates a stream piece by piece; a broken upstream stream breaks the client's stream. */
const passing = (
  endpoint: ConversationEndpoint,
  from: Translation.UpstreamEndpoint,
  head: AnswerHead,
  response: UpstreamResponse
): UpstreamResponse => {
  const splitter = new EventSplitter()
  const read = Translation.readers[from].stream()
  const writer = Translation.writers[endpoint].stream(head)
  const piece = (data: ReadonlyArray<Schema.Json>) => written(writer, data.flatMap(read))
  const flow = Flow.mapPieces(Body.toFlow(response.body), {
    piece: (bytes) => {
      const next = piece(splitter.push(bytes))
      return splitter.isTooLong ? Result.fail(invalidAnswer()) : Result.succeed(next)
    },
    end: () => [piece(splitter.end()), encoder.encode(writer.end())]
  })
  const body = Body.flowing(flow)
  return { status: response.status, headers: { ...AnswerHeaders.forward(response), ...streamHeaders }, body }
}

const gatheredEvents = Effect.fnUntraced(function* (from: Translation.UpstreamEndpoint, response: UpstreamResponse) {
  const reader = Translation.readers[from]
  const bytes = yield* Bytes.whole(Body.toStream(response.body), CaptureLimits.answerBytesMax, invalidAnswer)
  if (isEventStream(response)) {
    const splitter = new EventSplitter()
    const data = [...splitter.push(bytes), ...splitter.end()]
    return data.flatMap(reader.stream())
  }
  return reader.whole(parsed(new TextDecoder().decode(bytes)))
})

/** `from`: what the upstream was asked. Fails with `invalid_response` if a success is no answer. */
export const translateAnswer = Effect.fnUntraced(function* (
  endpoint: ConversationEndpoint,
  from: Translation.UpstreamEndpoint,
  head: AnswerHead,
  response: UpstreamResponse
): Effect.fn.Return<UpstreamResponse, UpstreamFailure> {
  if (!isSuccess(response.status)) return response
  const { "content-encoding": coding = "identity" } = response.headers
  if (coding !== "identity") return yield* invalidAnswer()
  if (asksStream(head) && isEventStream(response)) return passing(endpoint, from, head, response)
  const events = yield* gatheredEvents(from, response)
  const failure = events?.find(({ type }) => type === "error")
  if (events === undefined || failure !== undefined) return yield* invalidAnswer()
  const answer = ofEvents(endpoint, head, events)
  return { ...answer, headers: { ...AnswerHeaders.forward(response), ...answer.headers } }
})
