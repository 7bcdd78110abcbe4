/** Connectors as callers see them: made, read without their credentials, changed, removed. */
import {
  type Conflict,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Connector from "./Connector.ts"
import * as Rules from "./ConnectorRules.ts"
import { ObjectStore } from "./ObjectStore.ts"

/** As the creation sends it, its shape checked. */
export type Asked = {
  readonly [K in keyof typeof Connector.configs]: {
    readonly kind: K
    readonly config: (typeof Connector.configs)[K]["Type"]
  }
}[keyof typeof Connector.configs]

export type AskedPatch = {
  readonly [K in keyof typeof Connector.patches]: {
    readonly kind: K
    readonly config: (typeof Connector.patches)[K]["Type"]
  }
}[keyof typeof Connector.patches]

export interface NewConnector {
  readonly name: string
  readonly asked: Asked
}

export interface ConnectorPatch {
  readonly name?: string | undefined
  /** Of the connector's own kind, which never changes. */
  readonly asked?: AskedPatch | undefined
}

/** A connector with what lets us in, for whoever pulls. */
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
    ) => Effect.Effect<Connector.Connector, InvalidInput | NotFound | Conflict | StorageError>
    /** Its pulls stay; one that has not begun yet fails. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
    readonly open: (partition: Partition, id: string) => Effect.Effect<OpenConnector, NotFound | StorageError>
  }
>()("@limbeck/distill/connector/Connectors") {}

interface Parts {
  readonly rule: Connector.Rule
  readonly credential: string | null
}

type S3Asked = Extract<Asked, { readonly kind: "s3" }>["config"]

const s3Parts = (config: S3Asked): Result.Result<Parts, InvalidInput> =>
  Result.flatMap(Rules.s3Keys({ session_token: undefined, ...config }, false), (keys) => {
    if (keys === undefined) return Result.fail(invalid("config.access_key_id", Rules.nothingKept))
    const rule = {
      kind: "s3",
      config: {
        bucket: config.bucket,
        prefix: config.prefix ?? null,
        key: config.key ?? null,
        region: config.region,
        endpoint: config.endpoint ?? null,
        force_path_style: config.force_path_style ?? false,
        is_session: keys.session_token !== null
      }
    } as const
    return Result.succeed({ rule, credential: Connector.encodeS3Credential(keys) })
  })

const partsOf = (asked: Asked): Result.Result<Parts, InvalidInput> => {
  if (asked.kind === "s3") return s3Parts(asked.config)
  if (asked.kind === "http_jsonl") {
    const { auth_header: header, url } = asked.config
    return Result.succeed({ rule: { kind: asked.kind, config: { url } }, credential: header ?? null })
  }
  const { api_key: credential, base_url: baseUrl, metadata, model } = asked.config
  const config = { base_url: baseUrl ?? Connector.defaultBaseUrl, model: model ?? null, metadata: metadata ?? null }
  return Result.succeed({ rule: { kind: asked.kind, config }, credential })
}

const kept = <A>(given: A | undefined, before: A): A => (given === undefined ? before : given)

/** `credential` is undefined where the kept one stays. */
interface PatchedParts {
  readonly rule: Connector.Rule
  readonly credential: string | null | undefined
}

const unmasked = <A>(credential: A) => (credential === Rules.mask ? undefined : credential)

type S3Rule = Extract<Connector.Rule, { readonly kind: "s3" }>
type S3AskedPatch = Extract<AskedPatch, { readonly kind: "s3" }>["config"]

const patchedS3 = ({ config, kind }: S3Rule, asked: S3AskedPatch): Result.Result<PatchedParts, InvalidInput> => {
  const sent = { access_key_id: undefined, secret_access_key: undefined, session_token: undefined, ...asked }
  return Result.map(Rules.s3Keys(sent, config.is_session), (keys) => {
    const changed = {
      bucket: asked.bucket ?? config.bucket,
      prefix: kept(asked.prefix, config.prefix),
      key: kept(asked.key, config.key),
      region: asked.region ?? config.region,
      endpoint: kept(asked.endpoint, config.endpoint),
      force_path_style: asked.force_path_style ?? config.force_path_style,
      is_session: keys === undefined ? config.is_session : keys.session_token !== null
    }
    const credential = keys === undefined ? undefined : Connector.encodeS3Credential(keys)
    return { rule: { kind, config: changed }, credential }
  })
}

const patched = (rule: Connector.Rule, asked: AskedPatch): Result.Result<PatchedParts, InvalidInput> => {
  if (rule.kind === "s3" && asked.kind === "s3") return patchedS3(rule, asked.config)
  if (rule.kind === "http_jsonl" && asked.kind === "http_jsonl") {
    const credential = unmasked(asked.config.auth_header)
    return Result.succeed({
      credential,
      rule: { kind: rule.kind, config: { url: asked.config.url ?? rule.config.url } }
    })
  }
  if (rule.kind === "openai_stored_completions" && asked.kind === "openai_stored_completions") {
    const config = {
      base_url: asked.config.base_url ?? rule.config.base_url,
      model: kept(asked.config.model, rule.config.model),
      metadata: kept(asked.config.metadata, rule.config.metadata)
    }
    return Result.succeed({ credential: unmasked(asked.config.api_key), rule: { kind: rule.kind, config } })
  }
  return Result.succeed({ credential: undefined, rule })
}

const sealContext = (partition: Partition, id: string): string => `${partition.key}/connector/${id}`

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const ids = yield* Ids
  const { policy } = yield* ObjectStore

  const stored = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Connector.kind, id)
    return Option.isSome(found) ? found.value : yield* notFound("connector", id)
  })

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
    yield* Effect.catchTag(resources.insert(partition, Connector.kind, connector), "AlreadyExists", Effect.die)
    return connector
  })

  const change = Effect.fnUntraced(function* (
    partition: Partition,
    connector: Connector.Connector,
    asked: AskedPatch | undefined
  ) {
    if (asked === undefined) return connector
    const { credential, rule } = yield* Effect.fromResult(patched(connector.rule, asked))
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
    update: (partition, id, patch) => Writers.inTurn("Connector", id)(update(partition, id, patch)),
    get: Effect.fn("Connectors.get")((partition: Partition, id: string) =>
      Effect.map(stored(partition, id), ({ value }) => value)
    ),
    page: Effect.fn("Connectors.page")((partition: Partition, request: PageRequest) =>
      resources.page(partition, Connector.kind, [], request)
    ),
    remove: Effect.fn("Connectors.remove")(function* (partition: Partition, id: string) {
      const removed = yield* resources.remove(partition, Connector.kind, id)
      if (!removed) return yield* notFound("connector", id)
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
