/** What people do and no token may (contract 14.10, 15.17): the pipeline has looked at the role. */
import { HumanOnlyApi } from "@limbeck/api/HumanOnlyApi"
import { Ledger } from "@limbeck/billing/ledger/Ledger"
import * as LedgerResource from "@limbeck/billing/ledger/LedgerResource"
import { PermissionDenied } from "@limbeck/core/errors/Errors"
import { People } from "@limbeck/core/people/People"
import * as WorkspaceResource from "@limbeck/core/workspaces/WorkspaceResource"
import * as Effect from "effect/Effect"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"
import * as SignedIn from "../../http/internal/SignedIn.ts"

const ofLiveMode = new PermissionDenied({
  message: "A balance is of live mode: test mode is never charged",
  param: null
})

export const make: Effect.Effect<Handlers<typeof HumanOnlyApi>, never, People | Ledger> = Effect.gen(function* () {
  const people = yield* People
  const ledger = yield* Ledger

  return handlersOf(HumanOnlyApi)({
    createWorkspace: ({ caller, payload: { name, plan } }) =>
      Effect.gen(function* () {
        const created = yield* people.createWorkspace(yield* SignedIn.of(caller), { name, plan })
        const { liveToken, testToken, workspace } = created
        return {
          ...WorkspaceResource.render(caller.partition, workspace),
          live_token: liveToken,
          test_token: testToken
        }
      }),
    topUp: ({ caller: { partition }, payload: { amount_usd, reference } }) =>
      partition.livemode
        ? Effect.map(ledger.topUp(partition, { amountUsd: amount_usd, reference }), LedgerResource.renderEntry)
        : Effect.fail(ofLiveMode)
  })
})
