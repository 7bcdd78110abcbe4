/** Pulls on memory storage, of content that a test serves by itself. */
import * as Connectors from "@limbeck/distill/connector/Connectors"
import { Remote, type RemoteAnswer, RemoteError, type RemoteRequest } from "@limbeck/distill/connector/Remote"
import * as Datasets from "@limbeck/distill/dataset/Datasets"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Pulls from "@limbeck/distill/pull/Pulls"
import * as PullWorker from "@limbeck/distill/pull/PullWorker"
import * as Candidates from "@limbeck/distill/race/Candidates"
import * as StudentProbe from "@limbeck/distill/recipe/StudentProbe"
import * as Crypto from "@limbeck/node/Crypto"
import * as S3ObjectStore from "@limbeck/node/connector/S3ObjectStore"
import * as NodeRunningDigest from "@limbeck/node/dataset/NodeRunningDigest"
import * as NodeGunzip from "@limbeck/node/upload/NodeGunzip"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

export const { live } = World
export const secret = "Bearer kept-to-ourselves"

const utf8 = new TextEncoder()

type ServedAnswer = Effect.Effect<RemoteAnswer, RemoteError>

/** Scripted responses, with a record of requests. */
export interface Site {
  readonly asked: Array<RemoteRequest>
  /** The response to the request of this number, from 0. */
  serve: (request: RemoteRequest, number: number) => ServedAnswer
}

export const broken = (reason: string): ServedAnswer => Effect.fail(new RemoteError({ reason }))

/** A body in chunks of 10 bytes, optionally broken off after a number of bytes. */
export const answer = (
  statusCode: number,
  body: string | Uint8Array = "",
  headers: Readonly<Record<string, string>> = {},
  breaksAfter?: number
): ServedAnswer => {
  const bytes = typeof body === "string" ? utf8.encode(body) : body
  const sent = bytes.subarray(0, breaksAfter)
  const chunks = Array.from({ length: Math.ceil(sent.length / 10) }, (_, index) =>
    sent.subarray(index * 10, (index + 1) * 10)
  )
  const end = breaksAfter === undefined ? Stream.empty : Stream.fail(new RemoteError({ reason: "connection_reset" }))
  return Effect.succeed({ statusCode, headers, body: Stream.concat(Stream.fromIterable(chunks), end) })
}

export const makeSite = (): Site => ({ asked: [], serve: () => answer(404) })

const base = Layer.mergeAll(
  StorageMemory.layer,
  World.nothingCaptured,
  World.services,
  NodeGunzip.layer,
  NodeRunningDigest.layer,
  StudentProbe.layerUnmeasured,
  Candidates.none(() => Effect.succeedNone)
).pipe(Layer.provideMerge(Crypto.layer))

/** A fresh world for each test. */
export const worldOf = (site: Site) => {
  const remote = Layer.succeed(Remote, {
    get: (request) => Effect.suspend(() => site.serve(request, site.asked.push(request) - 1))
  })
  return Layer.mergeAll(PullWorker.layer, Pulls.layer, Datasets.layer, VersionBuilder.layer).pipe(
    Layer.provideMerge(Connectors.layer),
    Layer.provideMerge(World.events),
    Layer.provideMerge(S3ObjectStore.layer({ policy: { allowed: [] } })),
    Layer.provideMerge(remote),
    Layer.provideMerge(base)
  )
}

export const rowsOf = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ messages: [{ role: "user", content: `ticket ${index}` }], completion: "a" })}\n`
  ).join("")

/** A connector to a file, with a queued pull. */
export const queued = Effect.fnUntraced(function* () {
  const connectors = yield* Connectors.Connectors
  const asked = { kind: "http_jsonl", config: { url: "https://files.example/rows", auth_header: secret } } as const
  const { id } = yield* connectors.create(live, { name: "files", asked })
  return yield* (yield* Pulls.Pulls).create(live, id)
})

/** The same, done by one worker. */
export const pulled = Effect.fnUntraced(function* () {
  const { id } = yield* queued()
  yield* (yield* PullWorker.PullWorker).runOnce
  return yield* (yield* Pulls.Pulls).get(live, id)
})

export const eventTypes = Effect.gen(function* () {
  return (yield* World.eventsOf()).map(({ type }) => type)
})
