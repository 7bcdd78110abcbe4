/** The ledger under random operations and kills. `npm run bench -- ledger` makes 10,000. */
import { assert, it } from "@effect/vitest"
import * as Database from "@limbeck/testing/database/Database"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as LedgerCampaign from "../src/LedgerCampaign.ts"

const operations = 250
const kills = 3

it(
  "20 clients at two servers that are killed leave a ledger that adds up, never below zero, each cause once (P157)",
  async ({ onTestFinished }) => {
    const { schema } = await Database.openSchema(onTestFinished)
    const options = { url, schema, operations, clients: 20, kills, seed: 20_261_122 }
    const found = await LedgerCampaign.run(onTestFinished, options)
    assert.strictEqual(found.operations, operations)
    // The balance let calls and runs through, and refused some.
    for (const outcome of ["call 200", "call 402", "run 201", "run 402", "topUp done"]) {
      assert.isAbove(found.outcomes.get(outcome) ?? 0, 0, outcome)
    }
  },
  2 * patienceMillis
)
