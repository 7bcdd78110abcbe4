/** Tokens as callers manage them: mint, read, disable, rotate (contract 2). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  PermissionDenied,
  type StorageError,
  TokenNotActive
} from "../errors/Errors.ts"
import { Ids } from "../ids/Ids.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import { Queue } from "../queue/Queue.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import { type Millis, toIso } from "../time/Timestamp.ts"
import { Authentication } from "./Authentication.ts"
import * as Caller from "./Caller.ts"
import type { Scope } from "./Scope.ts"
import * as Secret from "./Secret.ts"
import * as Token from "./Token.ts"
import * as TokenSecret from "./TokenSecret.ts"

export interface TokenRequest {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly livemode: boolean
  readonly expiresAt: Millis | null
}

/** The one time that a secret is seen. */
export interface Minted {
  readonly partition: Partition.Partition
  readonly token: Token.Token
  readonly secret: string
}

export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * A token cannot grant what it lacks, nor for longer than it lives itself, and a test token cannot mint a live one. A person
     * whose role writes grants any scope: no token may do what is for people.
     */
    readonly create: (
      caller: Caller.Caller,
      request: TokenRequest
    ) => Effect.Effect<Minted, InvalidInput | PermissionDenied | StorageError>
    readonly get: (partition: Partition.Partition, id: string) => Effect.Effect<Token.Token, NotFound | StorageError>
    readonly page: (
      partition: Partition.Partition,
      request: PageRequest
    ) => Effect.Effect<Page<Token.Token>, StorageError>
    /** From now on it authenticates nobody. */
    readonly disable: (
      partition: Partition.Partition,
      id: string
    ) => Effect.Effect<Token.Token, NotFound | ChangedMeanwhile | StorageError>
    /** A new token in place of this one, which dies after `overlapSeconds`. It expires when this one would have. */
    readonly rotate: (
      caller: Caller.Caller,
      id: string,
      overlapSeconds: number
    ) => Effect.Effect<Minted, NotFound | TokenNotActive | ChangedMeanwhile | PermissionDenied | StorageError>
    /** For the operator: makes a token with this secret, unless there is one. */
    readonly ensure: (partition: Partition.Partition, name: string, secret: string) => Effect.Effect<void, StorageError>
    readonly randomSecret: (livemode: boolean) => Effect.Effect<string>
  }
>()("@limbeck/core/tokens/Tokens") {}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const queue = yield* Queue
  const authentication = yield* Authentication
  const random = yield* SecureRandom
  const digest = yield* Digest
  const ids = yield* Ids

  const randomSecret = (livemode: boolean) =>
    Effect.map(random.randomBytes(32), (bytes) => TokenSecret.fromBytes(livemode, bytes))

  const insert = Effect.fnUntraced(function* (
    partition: Partition.Partition,
    secret: string,
    request: Omit<TokenRequest, "livemode">
  ) {
    const token: Token.Token = {
      id: yield* ids.make("tok"),
      name: request.name,
      digest: yield* Effect.provideService(Secret.digestOf(secret), Digest, digest),
      scopes: request.scopes,
      disabled: false,
      expiresAt: request.expiresAt,
      lastUsedAt: null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.insert(partition, Token.kind, token)
    return { partition, token, secret }
  })

  const mint = Effect.fnUntraced(function* (partition: Partition.Partition, request: Omit<TokenRequest, "livemode">) {
    const secret = yield* randomSecret(partition.livemode)
    return yield* Effect.catchTag(insert(partition, secret, request), "AlreadyExists", Effect.die)
  })

  const mayGrant = Effect.fnUntraced(function* (caller: Caller.Caller, scopes: ReadonlyArray<Scope>) {
    const lacking = caller.token === undefined ? -1 : scopes.findIndex((scope) => !Caller.allows(caller, scope))
    if (lacking < 0) return
    const message = `A token cannot grant ${scopes[lacking]}, which it lacks`
    return yield* new PermissionDenied({ message, param: `scopes[${lacking}]` })
  })

  const mayOutlive = Effect.fnUntraced(function* ({ token }: Caller.Caller, until: Millis | null) {
    const expiresAt = token?.expiresAt ?? null
    if (expiresAt === null || (until !== null && until <= expiresAt)) return
    const message = `This token expires at ${toIso(expiresAt)}: it cannot make one whose expires_at is later, or absent`
    return yield* new PermissionDenied({ message, param: "expires_at" })
  })

  const create = Effect.fn("Tokens.create")(function* (caller: Caller.Caller, request: TokenRequest) {
    yield* mayGrant(caller, request.scopes)
    yield* mayOutlive(caller, request.expiresAt)
    if (request.livemode && caller.token !== undefined && !caller.partition.livemode) {
      return yield* new PermissionDenied({ message: "A test token cannot mint a live one", param: "environment" })
    }
    if (request.expiresAt !== null && request.expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* invalid("expires_at", "A token cannot expire in the past")
    }
    return yield* mint(Partition.make(caller.partition.workspace, request.livemode), request)
  })

  /** `change` decides on the token that it changes: another writer may have come before. */
  const write = <E>(
    partition: Partition.Partition,
    id: string,
    change: (token: Token.Token) => Effect.Effect<Token.Token, E>
  ) =>
    Effect.gen(function* () {
      const stored = yield* Resources.require(resources, partition, Token.kind, id)
      const next = { ...stored, value: yield* change(stored.value) }
      const { value } = yield* resources.compareAndSet(partition, Token.kind, next)
      yield* queue.nudge(Token.bell)
      yield* storage.afterCommit(Effect.sync(() => authentication.changed(value)))
      return value
    }).pipe(
      // Being used writes the token too.
      Writers.inTurn(Token.kind, id)
    )

  const rotate = Effect.fn("Tokens.rotate")(function* (caller: Caller.Caller, id: string, overlapSeconds: number) {
    const { partition } = caller
    const now = yield* Clock.currentTimeMillis
    const old = yield* Resources.requireValue(resources, partition, Token.kind, id)
    yield* mayGrant(caller, old.scopes)
    yield* mayOutlive(caller, old.expiresAt)
    const replaced = (token: Token.Token) => {
      if (Token.statusAt(token, now) !== "active") return Effect.fail(new TokenNotActive({ id }))
      if (overlapSeconds === 0) return Effect.succeed({ ...token, disabled: true })
      const endsAt = Math.min(now + overlapSeconds * 1000, token.expiresAt ?? Number.POSITIVE_INFINITY)
      return Effect.succeed({ ...token, expiresAt: endsAt })
    }
    return yield* storage.transaction(
      Effect.gen(function* () {
        yield* write(partition, id, replaced)
        return yield* mint(partition, { name: old.name, scopes: old.scopes, expiresAt: old.expiresAt })
      })
    )
  })

  return Tokens.of({
    create,
    rotate,
    randomSecret,
    get: (partition, id) => Resources.requireValue(resources, partition, Token.kind, id),
    page: (partition, request) => resources.page(partition, Token.kind, [], request),
    disable: (partition, id) => write(partition, id, (token) => Effect.succeed({ ...token, disabled: true })),
    ensure: (partition, name, secret) =>
      insert(partition, secret, { name, scopes: ["full_access"], expiresAt: null }).pipe(
        Effect.catchTag("AlreadyExists", () => Effect.void),
        Effect.asVoid
      )
  })
})

export const layer: Layer.Layer<
  Tokens,
  never,
  ResourceStore | Storage | Queue | SecureRandom | Digest | Ids | Authentication
> = Layer.effect(Tokens, make)
