/** The first workspace and its two full-access tokens (contract 13). */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { Tokens } from "@limbeck/core/tokens/Tokens"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"

export interface BootstrapOptions {
  readonly liveToken: string | null
  readonly testToken: string | null
}

/** What was made and must be shown now, for it cannot be read again; null: given, or made at an earlier start. */
export interface Bootstrapped {
  readonly liveToken: string | null
  readonly testToken: string | null
}

export const run: (options: BootstrapOptions) => Effect.Effect<Bootstrapped, StorageError, Workspaces | Tokens> =
  Effect.fn("Bootstrap.run")(function* (options) {
    const workspaces = yield* Workspaces
    const tokens = yield* Tokens
    const { created, workspace } = yield* workspaces.ensure("default", "self_hosted")

    const token = Effect.fnUntraced(function* (livemode: boolean, given: string | null) {
      const partition = Partition.make(workspace.id, livemode)
      if (given !== null) {
        yield* tokens.ensure(partition, "bootstrap", given)
        return null
      }
      if (!created) return null
      const secret = yield* tokens.randomSecret(livemode)
      yield* tokens.ensure(partition, "bootstrap", secret)
      return secret
    })

    return { liveToken: yield* token(true, options.liveToken), testToken: yield* token(false, options.testToken) }
  })
