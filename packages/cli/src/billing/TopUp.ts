/** `limbeck billing top-up`: adds to the balance of a workspace, with the settings of `limbeck serve`. */
import type { TopUp } from "@limbeck/billing/ledger/Ledger"
import { toUsd } from "@limbeck/core/money/Money"
import * as Billing from "@limbeck/limbeck/Billing"
import { InvalidSetting } from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Output } from "../Output.ts"
import * as DataDir from "../serve/DataDir.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"

/** A flag that cannot be; the message names it. */
class TopUpRefused extends Schema.TaggedError<TopUpRefused>()("TopUpRefused", { message: Schema.String }) {}

const refused = (message: string) => Effect.fail(new TopUpRefused({ message }))

const topUp = Effect.fnUntraced(
  function* (output: Output, workspace: string, payment: TopUp) {
    const { amount_usd, id } = yield* Billing.topUp(workspace, payment)
    const { balance_usd } = yield* Billing.balance(workspace)
    const line = `${id}: ${amount_usd} US dollars; the balance is ${balance_usd} US dollars`
    yield* Effect.sync(() => output.result({ id, amount_usd, balance_usd }, line))
  },
  (self, _, workspace, { reference }) =>
    Effect.catchTags(self, {
      SchemaError: () => refused(`--workspace: ${workspace} is no id of a workspace`),
      NotFound: () => refused(`--workspace: there is no workspace ${workspace}`),
      InvalidInput: ({ message, param }) => refused(`--${param === "amount_usd" ? "amount" : "reference"}: ${message}`),
      TopUpReused: ({ postedMicros }) =>
        refused(`--reference: ${reference} was made already, with another amount: ${toUsd(postedMicros)} US dollars`)
    })
)

const noStorage = new InvalidSetting({
  setting: "STORAGE",
  message: "memory keeps no balance; a host tops it up in process, with `billing.topUp`"
})

const program = Effect.fnUntraced(function* (
  settings: Settings.Settings,
  output: Output,
  workspace: string,
  payment: TopUp
) {
  if (settings.storage === "memory") return yield* noStorage
  yield* DataDir.prepare(settings)
  return yield* Effect.provide(topUp(output, workspace, payment), Billing.layer(Storages.ofCommand(settings)))
})

/** Returns the exit code of the process. */
export const run = async (
  environment: Environment,
  output: Output,
  workspace: string,
  payment: TopUp
): Promise<number> => {
  const settings = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings.success, output, workspace, payment), quiet))
  return Exits.of(exit, settings.success)
}
