/** Connectors as callers see them: made, read without their credentials, changed, removed. */
import {
  type ChangedMeanwhile,
  type InvalidInput,
  type NotFound,
  notFound,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Connector from "./Connector.ts"
import { type ConfigPatch, type ConnectorRequest, partsOf, patch } from "./ConnectorParts.ts"
import * as Rules from "./internal/ConnectorRules.ts"
import { ObjectStore } from "./ObjectStore.ts"

export interface NewConnector {
  readonly name: string
  readonly asked: ConnectorRequest
}

export interface ConnectorPatch {
  readonly name?: string | undefined
  /** Of the connector's kind, which is immutable. */
  readonly asked?: ConfigPatch | undefined
}

/** A connector with its credential, for the worker that pulls. */
export interface OpenConnector {
  readonly rule: Connector.Rule
  readonly credential: Redacted.Redacted<string> | null
}

export class Connectors extends Context.Service<
  Connectors,
  {
    readonly create: (
      partition: Partition,
      request: NewConnector
    ) => Effect.Effect<Connector.Connector, InvalidInput | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Connector.Connector, NotFound | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      request: PageRequest
    ) => Effect.Effect<Page<Connector.Connector>, StorageError>
    /** What is not named stays. A kept credential does not follow the URL to another origin. */
    readonly update: (
      partition: Partition,
      id: string,
      patch: ConnectorPatch
    ) => Effect.Effect<Connector.Connector, InvalidInput | NotFound | ChangedMeanwhile | StorageError>
    /** Its pulls stay; one that has not begun yet fails. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
    readonly open: (partition: Partition, id: string) => Effect.Effect<OpenConnector, NotFound | StorageError>
  }
>()("@limbeck/distill/connector/Connectors") {}

const sealContext = (partition: Partition, id: string): string => `${partition.key}/connector/${id}`

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const ids = yield* Ids
  const { policy } = yield* ObjectStore

  const stored = (partition: Partition, id: string) => Resources.require(resources, partition, Connector.kind, id)

  const seal = (partition: Partition, id: string, credential: string | null) =>
    credential === null ? Effect.succeed(null) : secrets.seal(credential, sealContext(partition, id))

  const create = Effect.fn("Connectors.create")(function* (partition: Partition, { asked, name }: NewConnector) {
    const { credential, rule } = yield* Effect.fromResult(partsOf(asked))
    yield* Effect.fromResult(Rules.check(rule, credential, { policy, livemode: partition.livemode }))
    const id = yield* ids.make("con")
    const now = yield* Clock.currentTimeMillis
    const connector: Connector.Connector = {
      id,
      name,
      rule,
      sealedCredential: yield* seal(partition, id, credential),
      createdAt: now,
      updatedAt: now
    }
    yield* resources.add(partition, Connector.kind, connector)
    return connector
  })

  const change = Effect.fnUntraced(function* (
    partition: Partition,
    connector: Connector.Connector,
    asked: ConfigPatch | undefined
  ) {
    if (asked === undefined) return connector
    const { credential, rule } = yield* Effect.fromResult(patch(connector.rule, asked))
    yield* Effect.fromResult(Rules.check(rule, credential ?? null, { policy, livemode: partition.livemode }))
    if (credential !== undefined) {
      return { ...connector, rule, sealedCredential: yield* seal(partition, connector.id, credential) }
    }
    if (connector.sealedCredential !== null) yield* Effect.fromResult(Rules.checkMove(connector.rule, rule))
    return { ...connector, rule }
  })

  const update = Effect.fn("Connectors.update")(function* (partition: Partition, id: string, patch: ConnectorPatch) {
    const { revision, value } = yield* stored(partition, id)
    const changed = yield* change(partition, value, patch.asked)
    const connector = { ...changed, name: patch.name ?? value.name, updatedAt: yield* Clock.currentTimeMillis }
    yield* resources.compareAndSet(partition, Connector.kind, { value: connector, revision })
    return connector
  })

  return Connectors.of({
    create,
    update: (partition, id, patch) => Writers.inTurn(Connector.kind, id)(update(partition, id, patch)),
    get: (partition: Partition, id: string) => Effect.map(stored(partition, id), ({ value }) => value),
    page: (partition: Partition, request: PageRequest) => resources.page(partition, Connector.kind, [], request),
    remove: Effect.fn("Connectors.remove")(function* (partition: Partition, id: string) {
      const removed = yield* resources.remove(partition, Connector.kind, id)
      if (!removed) return yield* notFound(Connector.kind.noun, id)
    }),
    open: Effect.fn("Connectors.open")(function* (partition: Partition, id: string) {
      const { rule, sealedCredential } = (yield* stored(partition, id)).value
      const credential =
        sealedCredential === null
          ? null
          : Redacted.make(yield* secrets.open(sealedCredential, sealContext(partition, id)))
      return { rule, credential }
    })
  })
})

export const layer: Layer.Layer<Connectors, never, ResourceStore | Secrets | Ids | ObjectStore> = Layer.effect(
  Connectors,
  make
)
