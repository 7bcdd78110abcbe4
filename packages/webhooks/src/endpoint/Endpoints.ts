/** Webhook endpoints as their owners see them: create, read, change, rotate, remove. Sending is the dispatcher's. */
import {
  type ChangedMeanwhile,
  type InvalidInput,
  type NotFound,
  notFound,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { EventCatalog } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { nextValue } from "@limbeck/core/resources/Patch"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryStore } from "../delivery/DeliveryStore.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Rules from "./internal/EndpointRules.ts"
import * as EndpointSecret from "./internal/EndpointSecret.ts"
import { type EndpointView, noStats, viewOf, viewOfRead, viewsOf } from "./internal/EndpointView.ts"

export interface NewEndpoint {
  readonly url: string
  readonly description?: string | undefined
  readonly enabledEvents: ReadonlyArray<string>
  /** By default the newest. */
  readonly apiVersion?: string | undefined
}

/** Absent fields stay as they are. */
export interface EndpointPatch {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly enabledEvents?: ReadonlyArray<string> | undefined
  readonly apiVersion?: string | undefined
  readonly status?: Endpoint.Endpoint["status"] | undefined
}

export interface CreatedEndpoint {
  readonly view: EndpointView
  /** Shown this once; only its sealed form is kept. */
  readonly secret: string
}

export class Endpoints extends Context.Service<
  Endpoints,
  {
    readonly create: (
      partition: Partition,
      request: NewEndpoint
    ) => Effect.Effect<CreatedEndpoint, InvalidInput | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<EndpointView, NotFound | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<EndpointView>, StorageError>
    /** Disabling stops new deliveries; outstanding ones are dead-lettered when they come due. */
    readonly update: (
      partition: Partition,
      id: string,
      patch: EndpointPatch
    ) => Effect.Effect<EndpointView, InvalidInput | NotFound | ChangedMeanwhile | StorageError>
    /**
     * A new secret, shown this once. The previous one signs too for `overlapSeconds`, at most 7 days; 0: not at all. Older
     * secrets do not sign.
     */
    readonly rotateSecret: (
      partition: Partition,
      id: string,
      overlapSeconds: number
    ) => Effect.Effect<CreatedEndpoint, InvalidInput | NotFound | ChangedMeanwhile | StorageError>
    /** Takes effect at once; outstanding deliveries are dead-lettered when due. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
  }
>()("@limbeck/webhooks/endpoint/Endpoints") {}

const missing = (id: string) => notFound("webhook endpoint", id)

const inTurn = (id: string) => Writers.inTurn(Endpoint.kind, id)

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const deliveries = yield* DeliveryStore
  const catalog = yield* EventCatalog
  const secrets = yield* Secrets
  const random = yield* SecureRandom
  const ids = yield* Ids
  const types = catalog.types.map(({ type }) => type)

  const show = (partition: Partition, endpoint: Endpoint.Endpoint) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => viewOf(deliveries, partition, endpoint, now))

  const stored = (partition: Partition, id: string) => Resources.require(resources, partition, Endpoint.kind, id)

  const newSecret = Effect.map(random.randomBytes(EndpointSecret.byteCount), EndpointSecret.fromBytes)

  const create = Effect.fn("Endpoints.create")(function* (partition: Partition, request: NewEndpoint) {
    const url = yield* Effect.fromResult(Rules.url(partition.livemode, request.url))
    const description = yield* Effect.fromResult(Rules.description(request.description ?? ""))
    const enabledEvents = yield* Effect.fromResult(Rules.enabledEvents(types, request.enabledEvents))
    const apiVersion = yield* Effect.fromResult(Rules.apiVersion(request.apiVersion ?? ApiVersions.newest))
    const secret = yield* newSecret
    const now = yield* Clock.currentTimeMillis
    const endpoint: Endpoint.Endpoint = {
      id: yield* ids.make("wh"),
      url,
      description,
      enabledEvents,
      apiVersion,
      status: "enabled",
      sealedSecret: yield* secrets.seal(secret, partition.key),
      sealedPreviousSecret: null,
      previousSecretExpiresAt: null,
      createdAt: now,
      updatedAt: now
    }
    yield* resources.add(partition, Endpoint.kind, endpoint)
    const view: EndpointView = { endpoint, stats: noStats }
    return { view, secret }
  })

  const update = Effect.fn("Endpoints.update")(function* (partition: Partition, id: string, patch: EndpointPatch) {
    const { revision, value } = yield* stored(partition, id)
    const endpoint: Endpoint.Endpoint = {
      ...value,
      url: yield* nextValue(patch.url, value.url, (url) => Rules.url(partition.livemode, url)),
      description: yield* nextValue(patch.description, value.description, Rules.description),
      enabledEvents: yield* nextValue(patch.enabledEvents, value.enabledEvents, (entries) =>
        Rules.enabledEvents(types, entries)
      ),
      apiVersion: yield* nextValue(patch.apiVersion, value.apiVersion, Rules.apiVersion),
      status: patch.status ?? value.status,
      updatedAt: yield* Clock.currentTimeMillis
    }
    yield* resources.compareAndSet(partition, Endpoint.kind, { value: endpoint, revision })
    return yield* show(partition, endpoint)
  })

  const rotateSecret = Effect.fn("Endpoints.rotateSecret")(function* (
    partition: Partition,
    id: string,
    overlapSeconds: number
  ) {
    const seconds = yield* Effect.fromResult(Rules.overlapSeconds(overlapSeconds))
    const { revision, value } = yield* stored(partition, id)
    const now = yield* Clock.currentTimeMillis
    const secret = yield* newSecret
    const endpoint: Endpoint.Endpoint = {
      ...value,
      sealedSecret: yield* secrets.seal(secret, partition.key),
      sealedPreviousSecret: seconds === 0 ? null : value.sealedSecret,
      previousSecretExpiresAt: seconds === 0 ? null : now + seconds * 1_000,
      updatedAt: now
    }
    yield* resources.compareAndSet(partition, Endpoint.kind, { value: endpoint, revision })
    return { view: yield* show(partition, endpoint), secret }
  })

  return Endpoints.of({
    create,
    update: (partition, id, patch) => inTurn(id)(update(partition, id, patch)),
    rotateSecret: (partition, id, overlapSeconds) => inTurn(id)(rotateSecret(partition, id, overlapSeconds)),
    get: Effect.fnUntraced(function* (partition, id) {
      const reading = Resources.requireValue(resources, partition, Endpoint.kind, id)
      return yield* viewOfRead(deliveries, partition, id, reading, yield* Clock.currentTimeMillis)
    }),
    page: Effect.fnUntraced(function* (partition, request) {
      const page = yield* resources.page(partition, Endpoint.kind, [], request)
      const now = yield* Clock.currentTimeMillis
      return { items: yield* viewsOf(deliveries, partition, page.items, now), hasMore: page.hasMore }
    }),
    remove: Effect.fn("Endpoints.remove")(function* (partition, id) {
      const removed = yield* resources.remove(partition, Endpoint.kind, id)
      if (!removed) return yield* missing(id)
    })
  })
})

export const layer: Layer.Layer<
  Endpoints,
  never,
  ResourceStore | DeliveryStore | EventCatalog | Secrets | SecureRandom | Ids
> = Layer.effect(Endpoints, make)
