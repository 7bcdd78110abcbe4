/** `limbeck billing top-up`: from the command line, beside a server that runs on the same Postgres. */
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api } from "./Api.ts"
import { runHere } from "./InProcess.ts"
import { type Environment, liveToken, quiet, Server } from "./Server.ts"

const topUp = (environment: Environment, workspace: string, amount: string, reference: string) => {
  const flags = ["--workspace", workspace, "--amount", amount, "--reference", reference]
  return runHere(environment, ["billing", "top-up", ...flags])
}

describe.concurrent("limbeck billing top-up", () => {
  it("is in the balance of a server that runs, once for each reference (P151)", async ({ onTestFinished }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const environment = { ...quiet, DATABASE_URL, DATA_DIR, BILLING: "enforced" }
    const api = new Api(await new Server(onTestFinished, environment).start(), liveToken)
    const { workspace } = await api.get<{ readonly workspace: { readonly id: string } }>("/v1/whoami")
    for (let turn = 0; turn < 2; turn++) {
      const { code, stderr, stdout } = await topUp(environment, workspace.id, "7.5", "invoice 7")
      assert.deepStrictEqual([code, stderr], [0, []])
      assert.match(stdout.join("\n"), /^led_[0-9a-z]{26}: 7.5 US dollars; the balance is 7.5 US dollars$/)
    }
    const refusals: ReadonlyArray<readonly [workspace: string, amount: string, reference: string, said: RegExp]> = [
      [workspace.id, "8", "invoice 7", /^--reference: invoice 7 was made already, with another amount: 7.5 /],
      ["default", "8", "invoice 8", /^--workspace: default is no id/]
    ]
    for (const [id, amount, reference, said] of refusals) {
      const { code, stderr, stdout } = await topUp(environment, id, amount, reference)
      assert.deepStrictEqual([code, stdout], [1, []])
      assert.match(stderr.join("\n"), said)
    }
    const balance = await api.get<object>("/v1/billing/balance")
    assert.deepStrictEqual(balance, { object: "balance", balance_usd: 7.5, enforced: true })
  })

  it("has nothing to add to in memory, with exit code 2", async () => {
    const { code, stderr, stdout } = await topUp({ ...quiet, STORAGE: "memory" }, "ws_1", "5", "x")
    assert.deepStrictEqual([code, stdout], [2, []])
    assert.match(stderr.join("\n"), /^STORAGE: memory keeps no balance/)
  })
})
