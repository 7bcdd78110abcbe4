/** The first workspace and its two full-access tokens (contract 13). */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import { Tokens } from "@limbeck/core/tokens/Tokens"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"

export interface BootstrapOptions {
  readonly liveToken: string | null
  readonly testToken: string | null
}

/** The tokens were made now and must be shown now, for they cannot be read again; null: given, or made at an earlier start. */
export interface Bootstrapped {
  readonly workspace: string
  readonly liveToken: string | null
  readonly testToken: string | null
}

/** All or nothing: a start that dies half-way is a first start again. */
export const run = Effect.fn("Bootstrap.run")(function* (
  options: BootstrapOptions
): Effect.fn.Return<Bootstrapped, StorageError, Storage | Workspaces | Tokens> {
  const storage = yield* Storage
  const workspaces = yield* Workspaces
  const tokens = yield* Tokens

  const token = Effect.fnUntraced(function* (partition: Partition.Partition, first: boolean, given: string | null) {
    if (given === null && !first) return null
    const secret = given ?? (yield* tokens.randomSecret(partition.livemode))
    yield* tokens.ensure(partition, "bootstrap", secret)
    return given === null ? secret : null
  })

  return yield* storage.transaction(
    Effect.gen(function* () {
      const { created, workspace } = yield* workspaces.ensure("default", "self_hosted")
      return {
        workspace: workspace.id,
        liveToken: yield* token(Partition.make(workspace.id, true), created, options.liveToken),
        testToken: yield* token(Partition.make(workspace.id, false), created, options.testToken)
      }
    })
  )
})
