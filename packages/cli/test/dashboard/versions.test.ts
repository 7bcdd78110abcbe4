// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Versions in the dashboard: saved as a file, and compared. */
import { readFile } from "node:fs/promises"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const rowsOf = (numbers: ReadonlyArray<number>) =>
  numbers
    .map((number) =>
      JSON.stringify({
        messages: [{ role: "user", content: `ticket ${number}` }],
        completion: number % 4 === 0 ? "billing" : "bug"
      })
    )
    .join("\n")

describe.skipIf(hindrance !== undefined)("versions in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  let dataset = ""
  const versions: Array<string> = []
  beforeAll(async () => {
    await server.start()
    const client = makeClient({ baseUrl: server.origin, token: Servers.testToken })
    dataset = (await client.datasets.create({ name: "tickets" })).id
    for (const length of [40, 60]) {
      const upload = await client.uploads.send(rowsOf(Array.from({ length }, (_, number) => number)))
      await client.uploads.wait(upload.id)
      const { id } = await client.datasetVersions.create(dataset, { from: { upload: upload.id } })
      await client.datasetVersions.wait(id)
      versions.push(id)
    }
  })

  it("are saved as a file with the very bytes of the API (P1798)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await look(page, `/data/versions/${versions[0]}`)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click()
    ])
    assert.strictEqual(download.suggestedFilename(), `${versions[0]}.jsonl`)
    const saved = await readFile(await download.path(), "utf8")
    const answer = await fetch(`${server.origin}/v1/distill/dataset_versions/${versions[0]}/export`, {
      headers: { authorization: `Bearer ${Servers.testToken}` }
    })
    assert.strictEqual(saved, await answer.text())
    assert.lengthOf(saved.trim().split("\n"), 40)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("are compared: their figures with differences, and how often each answer occurs (P1799)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await look(page, `/data/datasets/${dataset}`)
    assert.isTrue(await page.getByRole("button", { name: "Compare two" }).isDisabled())
    for (const version of versions) await page.getByLabel(`Compare ${version}`).press("Space")
    await page.getByRole("button", { name: "Compare two" }).press("Enter")
    const holdout = page.getByRole("row", { name: /^Holdout rows/ })
    await holdout.waitFor()
    const numberOf = async (name: string) =>
      (await page.getByRole("row", { name }).getByRole("cell").allTextContents()).map((text) => text.replace("–", "0"))
    const [trainOne, trainOther, train] = await numberOf("Train rows")
    const [holdoutOne, holdoutOther, held] = await numberOf("Holdout rows")
    assert.strictEqual(Number(trainOne) + Number(holdoutOne), 40)
    assert.strictEqual(Number(trainOther) + Number(holdoutOther), 60)
    assert.strictEqual(Number(train) + Number(held), 20)
    const bugs = page.getByRole("row", { name: /^bug/ })
    await bugs.waitFor()
    assert.deepStrictEqual(await bugs.getByRole("cell").allTextContents(), ["75 %", "75 %"])
    assert.strictEqual(await page.getByText("Both have the same rows").count(), 0)
    assert.deepStrictEqual(await violations(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    await look(page, `/data/compare/${versions[0]}/${versions[0]}`)
    await page.getByText("Both have the same rows").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
