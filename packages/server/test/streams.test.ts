// @effect-diagnostics globalFetch:off
/** The corpus of streams through the proxy: each byte passes, wherever pieces end, and the whole is captured. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import { caseCount } from "@limbeck/testing/Campaign"
import { type RecordedStream, streams } from "@limbeck/testing/fixtures/streams/Corpus"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"

/** Streams at a time. */
const width = 8
/** Seeds of where the pieces end. */
const seeds = [1, 2, 3].slice(0, caseCount(1, 3))

interface CapturedCall {
  readonly response: unknown
}

const storedCall = async (client: Client, id: string) =>
  expectStatus(await client.get<CapturedCall>(`/v1/distill/calls/${id}`), 200)

const paths = { "chat.completions": "chat/completions", responses: "responses" }

/** Some fifty pieces, most of them cut within a line, many within a character. */
const pieces = (bytes: Uint8Array, luck: SeededRandom.Bits): ReadonlyArray<Uint8Array> => {
  const most = 2 + Math.ceil(bytes.length / 25)
  const cut: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += cut.at(-1)?.length ?? 0)
    cut.push(bytes.subarray(at, at + 1 + (luck() % most)))
  return cut
}

const bytesOf = ({ text }: RecordedStream) => Buffer.from(text)

/** Responds with the stream named by the model, cut by its seed. */
const recite = async (request: IncomingMessage, response: ServerResponse) => {
  const { sent } = request as IncomingMessage & { readonly sent: string } // The server of models has read it.
  const { place, seed } = JSON.parse(sent)
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
  for (const piece of pieces(bytesOf(streams[place] as RecordedStream), SeededRandom.make(seed))) {
    response.write(piece)
    await setImmediate()
  }
  response.end()
}

const inTurn = async <A, B>(items: ReadonlyArray<A>, run: (item: A, place: number) => Promise<B>) => {
  const done: Array<B> = []
  const left = items.entries()
  const work = async () => {
    for (const [place, item] of left) done[place] = await run(item, place)
  }
  await Promise.all(Array.from({ length: width }, work))
  return done
}

describe("the corpus of streams", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  onOneStorage("through the proxy", (house) => {
    for (const seed of seeds) {
      it(`passes byte for byte, and is captured whole: cut by seed ${seed} (P72)`, async () => {
        const workspace = await house.workspace()
        await create(workspace.test, { base_url: upstream.base(recite), default: true })
        const ids = await inTurn(streams, (stream, place) => listen(house, workspace, stream, place, seed))
        const calls = await inTurn(ids, (id) => storedCall(workspace.test, id))
        for (const [place, call] of calls.entries()) assertWhole(call, streams[place] as RecordedStream)
      })
    }
  })
})

/** Answers the call's id. */
const listen = async (house: House, workspace: Workspace, stream: RecordedStream, place: number, seed: number) => {
  const answer = await fetch(`${house.origin}/v1/proxy/${paths[stream.endpoint]}`, {
    method: "POST",
    headers: { authorization: `Bearer ${workspace.liveToken.replace("live", "test")}` },
    body: JSON.stringify({ model: "m", stream: true, place, seed: seed * 1_000 + place })
  })
  const heard = Buffer.from(await answer.arrayBuffer())
  assert.isTrue(heard.equals(bytesOf(stream)), stream.name)
  return answer.headers.get("x-service-call-id") ?? ""
}

const assertWhole = (call: CapturedCall, { endpoint, failed, name, whole }: RecordedStream) => {
  assert.deepStrictEqual(call.response, whole, name)
  assert.deepInclude<object>(
    call,
    { endpoint, streamed: true, status_code: 200, outcome: failed ? "failed" : "succeeded", served_by: "upstream" },
    name
  )
}
