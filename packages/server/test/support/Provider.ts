/** The setup of stock `openai` client tests: a scripted provider, and the captured calls. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import type { Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { type Client, expectStatus } from "./Client.ts"
import type { House } from "./House.ts"

export interface CapturedCall {
  readonly id: string
  readonly endpoint: string
  readonly outcome: string
  readonly status_code: number | null
  readonly streamed: boolean
  readonly request: unknown
  readonly response: unknown
  readonly usage: object | null
  readonly decisions: unknown
  readonly tags: ReadonlyArray<string>
  readonly external_id: string | null
}

export type Json = Readonly<Record<string, unknown>>

/** The upstream's request, and its response. */
export interface Exchange {
  readonly sent: Json
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly json: (status: number, body: unknown, headers?: Readonly<Record<string, string>>) => void
  readonly stream: (events: ReadonlyArray<unknown>) => void
}

export const sse = { "content-type": "text/event-stream" }
export const event = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`

const exchange = (request: IncomingMessage, response: ServerResponse): Exchange => {
  const { sent } = request as IncomingMessage & { readonly sent: string } // The server of models has read it.
  return {
    sent: sent === "" ? {} : JSON.parse(sent),
    path: (request.url ?? "").replace(/^\/\d+\/v1/, ""),
    request,
    response,
    json: (status, body, headers = {}) =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body)),
    stream: (events) => {
      response.writeHead(200, sse)
      for (const value of events) response.write(event(value))
      response.end(event("[DONE]"))
    }
  }
}

export const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }

/** The usage of a captured call whose upstream states no details. */
export const capturedUsage = (counts: typeof usage) => ({
  ...counts,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 }
})

export const completion = (message: Json, finish_reason = "stop") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 7,
  model: "gpt",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...message },
      finish_reason,
      logprobs: null
    }
  ],
  usage
})

export const chunk = (delta: Json, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 7,
  model: "gpt",
  choices: [{ index: 0, delta, finish_reason, logprobs: null }]
})

export const question = { model: "gpt", messages: [{ role: "user" as const, content: "The capital of France?" }] }

/** A client of its own workspace, with this source. */
export const begin = async (house: House, upstream: Models, answer: (exchange: Exchange) => void) => {
  const workspace = await house.workspace()
  const base_url = upstream.base((request, response) => answer(exchange(request, response)))
  await create(workspace.test, { base_url, default: true })
  const client = new OpenAI({
    apiKey: workspace.liveToken.replace("live", "test"),
    baseURL: `${house.origin}/v1/proxy`,
    maxRetries: 0
  })
  return { client, base_url, captured: workspace.test }
}

export const newest = async (captured: Client, count: number) => {
  for (;;) {
    const { data } = expectStatus(
      await captured.get<{ readonly data: ReadonlyArray<CapturedCall> }>("/v1/distill/calls"),
      200
    )
    if (data.length >= count) return data
    await sleep(20)
  }
}

export const callOf = async (captured: Client, headers: Headers) =>
  expectStatus(await captured.get<CapturedCall>(`/v1/distill/calls/${headers.get("x-service-call-id")}`), 200)

export const failureOf = <A>(promise: PromiseLike<A>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error
  )

/** Asserts the class of the error. */
export const assertError = <E>(error: unknown, type: new (...args: never) => E): E => {
  assert.isTrue(error instanceof type, String(error))
  return error as E // It was just asserted.
}

export const assertHas = (found: unknown, members: Json) => assert.deepInclude(Object(found), members)
