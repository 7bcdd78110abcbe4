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
  TokenNotActive,
  type Unauthenticated
} from "../errors/Errors.ts"
import type { TokenId } from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import type { PersonId } from "../people/Person.ts"
import type { Queue } from "../queue/Queue.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import type { Millis } from "../time/Timestamp.ts"
import type * as RoleRules from "../workspaces/RoleRules.ts"
import type { Authentication } from "./Authentication.ts"
import * as Caller from "./Caller.ts"
import * as TokenRights from "./internal/TokenRights.ts"
import * as TokenWrites from "./internal/TokenWrites.ts"
import type { Scope } from "./Scope.ts"
import * as Secret from "./Secret.ts"
import * as Token from "./Token.ts"
import type { TokenLimits } from "./TokenLimits.ts"
import * as TokenSecret from "./TokenSecret.ts"

export interface TokenRequest {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly livemode: boolean
  readonly expiresAt: Millis | null
  /** Undefined: none. */
  readonly limits?: TokenLimits | undefined
}

/** A change of a token; what is absent stays. */
export interface TokenPatch {
  readonly name?: string | undefined
  /** Null: none from now on. */
  readonly limits?: TokenLimits | null | undefined
}

/** The only appearance of a secret. */
export interface NewTokenWithSecret {
  readonly partition: Partition.Partition
  readonly token: Token.Token
  readonly secret: string
}

export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * A token cannot grant what it lacks, nor for longer than it lives itself, nor with wider limits, and a test token cannot mint a
     * live one. What a token with a limit of requests or cost makes shares its use of them. A person grants scopes by `RoleRules.mayGrant`, and has at most `personTokensMax` active tokens. Fails if the caller is disabled, or
     * its membership ends, before the commit.
     */
    readonly create: (
      caller: Caller.Caller,
      request: TokenRequest
    ) => Effect.Effect<
      NewTokenWithSecret,
      InvalidInput | PermissionDenied | Unauthenticated | ChangedMeanwhile | StorageError
    >
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
    /** A limited token cannot give a token wider limits than its own. */
    readonly update: (
      caller: Caller.Caller,
      id: string,
      patch: TokenPatch
    ) => Effect.Effect<Token.Token, NotFound | ChangedMeanwhile | PermissionDenied | Unauthenticated | StorageError>
    /**
     * Replaces a token by a new one of the caller with the same expiry and limits, which continues its use of the limits. The old
     * token dies after `overlapSeconds`.
     */
    readonly rotate: (
      caller: Caller.Caller,
      id: string,
      overlapSeconds: number
    ) => Effect.Effect<
      NewTokenWithSecret,
      InvalidInput | NotFound | TokenNotActive | ChangedMeanwhile | PermissionDenied | Unauthenticated | StorageError
    >
    /** Creates a full-access token with this secret unless it exists. The maker is `person`, by default the operator. */
    readonly ensure: (
      partition: Partition.Partition,
      name: string,
      secret: string,
      person?: PersonId
    ) => Effect.Effect<void, StorageError>
    readonly randomSecret: (livemode: boolean) => Effect.Effect<string>
  }
>()("@limbeck/core/tokens/Tokens") {}

interface NewToken extends Omit<TokenRequest, "livemode"> {
  readonly createdBy: Token.TokenMaker
  readonly person: PersonId | undefined
  readonly useOf?: TokenId | undefined
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const { change } = yield* TokenWrites.make
  const random = yield* SecureRandom
  const digest = yield* Digest
  const ids = yield* Ids

  const randomSecret = (livemode: boolean) =>
    Effect.map(random.randomBytes(32), (bytes) => TokenSecret.fromBytes(livemode, bytes))

  const insert = Effect.fnUntraced(function* (
    partition: Partition.Partition,
    secret: string,
    { createdBy, expiresAt, limits, name, person, scopes, useOf }: NewToken
  ) {
    const token: Token.Token = {
      id: yield* ids.make("tok"),
      name,
      digest: yield* Effect.provideService(Secret.digestOf(secret), Digest, digest),
      scopes,
      disabled: false,
      expiresAt,
      lastUsedAt: null,
      createdAt: yield* Clock.currentTimeMillis,
      createdBy,
      ...(person === undefined ? {} : { person }),
      ...(limits === undefined ? {} : { limits }),
      ...(useOf === undefined ? {} : { useOf })
    }
    yield* resources.insert(partition, Token.kind, token)
    return { partition, token, secret }
  })

  const mint = Effect.fnUntraced(function* (
    caller: Caller.Caller,
    partition: Partition.Partition,
    request: Omit<TokenRequest, "livemode"> & Pick<NewToken, "useOf">
  ) {
    const person = Caller.personOf(caller)
    yield* TokenRights.hasRoom(resources, partition, person, yield* Clock.currentTimeMillis)
    const token = { ...request, createdBy: Caller.makerOf(caller), person }
    const secret = yield* randomSecret(partition.livemode)
    return yield* Effect.catchTag(insert(partition, secret, token), "AlreadyExists", Effect.die)
  })

  /** Runs `minting` in a transaction that fails if the caller loses its rights before the commit. */
  const byRight = <A, E>(caller: Caller.Caller, minting: (role: RoleRules.Role | null) => Effect.Effect<A, E>) =>
    Writers.inTurn(
      Token.kind,
      Caller.idOf(caller)
    )(
      storage.transaction(
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.flatMap(TokenRights.hold(resources, caller, now), minting)
        )
      )
    )

  const create = Effect.fn("Tokens.create")(function* (caller: Caller.Caller, request: TokenRequest) {
    yield* TokenRights.mayOutlive(caller, request.expiresAt)
    yield* TokenRights.mayLimit(caller, request.limits)
    if (request.livemode && caller.token !== undefined && !caller.partition.livemode) {
      return yield* new PermissionDenied({ message: "A test token cannot mint a live one", param: "environment" })
    }
    if (request.expiresAt !== null && request.expiresAt <= (yield* Clock.currentTimeMillis)) {
      return yield* invalid("expires_at", "A token cannot expire in the past")
    }
    const partition = Partition.make(caller.partition.workspace, request.livemode)
    return yield* byRight(caller, (role) =>
      Effect.andThen(
        TokenRights.mayGrant(caller, role, request.scopes),
        mint(caller, partition, { ...request, useOf: TokenRights.sharedUseOf(caller) })
      )
    )
  })

  const rotate = Effect.fn("Tokens.rotate")(function* (caller: Caller.Caller, id: string, overlapSeconds: number) {
    const { partition } = caller
    const now = yield* Clock.currentTimeMillis
    const replaced = (token: Token.Token) => {
      if (Token.statusAt(token, now) !== "active") return Effect.fail(new TokenNotActive({ id }))
      if (overlapSeconds === 0) return Effect.succeed({ ...token, disabled: true })
      const endsAt = Math.min(now + overlapSeconds * 1000, token.expiresAt ?? Number.POSITIVE_INFINITY)
      return Effect.succeed({ ...token, expiresAt: endsAt })
    }
    return yield* byRight(
      caller,
      Effect.fnUntraced(function* (role) {
        const old = yield* Resources.requireValue(resources, partition, Token.kind, id)
        const { expiresAt, limits, name, scopes } = old
        yield* TokenRights.mayGrant(caller, role, scopes)
        yield* TokenRights.mayOutlive(caller, expiresAt)
        yield* TokenRights.mayLimit(caller, limits)
        yield* change(partition, id, replaced)
        return yield* mint(caller, partition, { name, scopes, expiresAt, limits, useOf: Token.useIdOf(old) })
      })
    )
  })

  const update = Effect.fn("Tokens.update")(function* (caller: Caller.Caller, id: string, patch: TokenPatch) {
    const patched = ({ limits: before, ...token }: Token.Token): Token.Token => {
      const limits = patch.limits === undefined ? before : patch.limits
      return { ...token, name: patch.name ?? token.name, ...(limits == null ? {} : { limits }) }
    }
    if (patch.limits !== undefined) yield* TokenRights.mayLimit(caller, patch.limits ?? undefined)
    return yield* byRight(caller, () => change(caller.partition, id, (token) => Effect.succeed(patched(token))))
  })

  const ensure: Tokens["Service"]["ensure"] = (partition, name, secret, person) => {
    const createdBy = person === undefined ? Token.operator : ({ kind: "person", id: person } as const)
    const token: NewToken = { name, scopes: ["full_access"], expiresAt: null, createdBy, person }
    return insert(partition, secret, token).pipe(
      Effect.catchTag("AlreadyExists", () => Effect.void),
      Effect.asVoid
    )
  }

  return Tokens.of({
    create,
    update,
    rotate,
    randomSecret,
    ensure,
    get: (partition, id) => Resources.requireValue(resources, partition, Token.kind, id),
    page: (partition, request) => resources.page(partition, Token.kind, [], request),
    disable: (partition, id) => change(partition, id, (token) => Effect.succeed({ ...token, disabled: true }))
  })
})

export const layer: Layer.Layer<
  Tokens,
  never,
  ResourceStore | Storage | Queue | SecureRandom | Digest | Ids | Authentication
> = Layer.effect(Tokens, make)
