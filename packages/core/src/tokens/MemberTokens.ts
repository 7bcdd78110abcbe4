/** Lists, disables and hands over the tokens that depend on a person's membership of a workspace. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChangedMeanwhile, NotFound, StorageError } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import * as Partition from "../partition/Partition.ts"
import type { Queue } from "../queue/Queue.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import type { Storage } from "../storage/Storage.ts"
import * as RoleRules from "../workspaces/RoleRules.ts"
import type { Authentication } from "./Authentication.ts"
import type { Credential } from "./CredentialStore.ts"
import * as TokenWrites from "./internal/TokenWrites.ts"
import * as Token from "./Token.ts"

export class MemberTokens extends Context.Service<
  MemberTokens,
  {
    /** Active tokens of both modes, live first, including tokens made by tokens at any depth. */
    readonly list: (workspace: WorkspaceId, person: string) => Effect.Effect<ReadonlyArray<Credential>, StorageError>
    /**
     * Disables tokens with a scope beyond `role`; all tokens if `role` is null. With a keeper, the tokens stay active, depend on the
     * keeper, and tokens made by the person list the keeper as their maker.
     */
    readonly limit: (
      workspace: WorkspaceId,
      person: string,
      role: RoleRules.Role | null,
      keeper: Token.TokenMaker | null
    ) => Effect.Effect<void, NotFound | ChangedMeanwhile | StorageError>
  }
>()("@limbeck/core/tokens/MemberTokens") {}

const isWithin = (role: RoleRules.Role | null, { scopes }: Token.Token): boolean =>
  role !== null && scopes.every((scope) => RoleRules.mayGrant(role, scope))

const handedTo = (keeper: Token.TokenMaker, { person, ...token }: Token.Token): Token.Token => ({
  ...token,
  createdBy: token.createdBy?.kind === "token" ? token.createdBy : keeper,
  ...(keeper.kind === "person" ? { person: keeper.id } : {})
})

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const { change } = yield* TokenWrites.make

  const list = Effect.fn("MemberTokens.list")(function* (workspace: WorkspaceId, person: string) {
    const now = yield* Clock.currentTimeMillis
    const ofMode = (livemode: boolean) => {
      const partition = Partition.make(workspace, livemode)
      return Effect.map(resources.findByLabels(partition, Token.kind, [Token.labelOf(person)]), (tokens) =>
        tokens.filter((token) => Token.statusAt(token, now) === "active").map((token) => ({ partition, token }))
      )
    }
    return [...(yield* ofMode(true)), ...(yield* ofMode(false))]
  })

  const limit = Effect.fn("MemberTokens.limit")(function* (
    workspace: WorkspaceId,
    person: string,
    role: RoleRules.Role | null,
    keeper: Token.TokenMaker | null
  ) {
    const tokens = yield* list(workspace, person)
    const changed = (token: Token.Token): Token.Token =>
      keeper === null ? { ...token, disabled: true } : handedTo(keeper, token)
    yield* Effect.forEach(
      tokens.filter(({ token }) => !isWithin(role, token)),
      ({ partition, token: { id } }) => change(partition, id, (token) => Effect.succeed(changed(token))),
      { discard: true }
    )
  })

  return MemberTokens.of({ list, limit })
})

export const layer: Layer.Layer<MemberTokens, never, ResourceStore | Storage | Queue | Authentication> = Layer.effect(
  MemberTokens,
  make
)
