/** The ledger under random operations and kills. `npm run campaigns` makes 1,000, and `npm run bench -- ledger` 10,000. */
import { assert, it } from "@effect/vitest"
import { caseCount } from "@limbeck/testing/Campaign"
import * as Database from "@limbeck/testing/database/Database"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as LedgerCampaign from "../src/LedgerCampaign.ts"

const operations = caseCount(150, 1_000)
const kills = caseCount(2, 10)

it(
  "20 clients at two servers that are killed leave a ledger that adds up, never below zero, each cause once (P157)",
  async ({ onTestFinished }) => {
    const { schema } = await Database.openSchema(onTestFinished)
    // The balance lets calls and runs through, and refuses some.
    const outcomes = ["call 200", "call 402", "run 201", "run 402", "topUp done"]
    const options = { url, schema, operations, outcomes, clients: 20, kills, seed: 20_261_122 }
    const found = await LedgerCampaign.run(onTestFinished, options)
    assert.isAtLeast(found.operations, operations)
    for (const outcome of outcomes) assert.isAbove(found.outcomes.get(outcome) ?? 0, 0, outcome)
  },
  2 * patienceMillis
)
