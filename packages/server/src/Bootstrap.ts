/** The first workspace and its two full-access tokens (contract 13). */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as TokenSecret from "@limbeck/core/tokens/TokenSecret"
import { Tokens } from "@limbeck/core/tokens/Tokens"
import { firstKey, Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { InvalidSetting } from "./Settings.ts"

/** Tokens to create in place of random ones; null: a random one. */
export interface BootstrapOptions {
  readonly liveToken: string | null
  readonly testToken: string | null
}

/** The tokens were made now and must be shown now, for they cannot be read again; null: given, or made at an earlier start. */
export interface BootstrapResult {
  readonly workspace: string
  readonly liveToken: string | null
  readonly testToken: string | null
}

const checked = (name: keyof BootstrapOptions, livemode: boolean, given: string | null) =>
  given === null || TokenSecret.isBootstrap(livemode, given)
    ? Effect.void
    : Effect.fail(
        new InvalidSetting({
          setting: name,
          message: `${name} is ${TokenSecret.prefix(livemode)} and 32 or more of 0-9, A-Z, a-z`
        })
      )

/** All or nothing: a start that dies half-way is a first start again. */
export const run = Effect.fn("Bootstrap.run")(function* (
  options: BootstrapOptions
): Effect.fn.Return<BootstrapResult, StorageError | InvalidSetting, Storage | Workspaces | Tokens> {
  yield* checked("liveToken", true, options.liveToken)
  yield* checked("testToken", false, options.testToken)
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
      const { created, workspace } = yield* workspaces.ensure(firstKey, "self_hosted")
      return {
        workspace: workspace.id,
        liveToken: yield* token(Partition.make(workspace.id, true), created, options.liveToken),
        testToken: yield* token(Partition.make(workspace.id, false), created, options.testToken)
      }
    })
  )
})
