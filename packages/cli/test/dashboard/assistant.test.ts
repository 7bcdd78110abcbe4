/** The assistant in the dashboard: a scripted model behind a real source goes through the loop. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { client } from "@limbeck/testing/http/Client"
import { create } from "@limbeck/testing/http/SourceSteps"
import { dryRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { inOrder, scriptModel } from "@limbeck/testing/upstream/ScriptedModel"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, shifts } from "./Browser.ts"
import { inside, open, PeopleServer, press } from "./PeopleServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

describe.skipIf(hindrance !== undefined)("the assistant in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  let server: PeopleServer
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    server = await PeopleServer.start(atEnd, { EGRESS_ALLOW: "127.0.0.0/8" })
  })

  const signedIn = async (email: string, role: string) => {
    await server.add(email, role)
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(server.origin)
    await open(page, await server.linkOf(email))
    await press(page, /^Sign in as/)
    await inside(page)
    return { eyes, page }
  }

  it("goes through the loop, waits for a press before it spends, and goes on after a reload (P1624)", async () => {
    const { eyes, page } = await signedIn("ann@example.com", "member")
    const link = page.getByRole("link", { name: "Assistant", exact: true })
    assert.strictEqual(await link.count(), 0, "without a source there is no assistant")
    const api = client(server.origin, Servers.liveToken)
    const version = await ticketsVersion(api)
    const propose = { dataset_version: version.id, objective: "cost", max_cost_usd: 5 }
    const script = inOrder(
      [{ tool: "getDatasetVersion", input: { path: { dataset_version_id: version.id } } }],
      [{ tool: "proposeRecipe", input: { body: propose } }],
      [{ tool: "createRun", input: { body: dryRun(version.id) } }],
      [{ tool: "createRun", input: { body: dryRun(version.id, { dry_run: false }) } }],
      "The live run is queued."
    )
    await create(api, { name: "teacher", base_url: scriptModel(models, script) })
    await page.reload()
    await link.click()
    await press(page, "New conversation")
    await page.getByLabel("Model", { exact: true }).fill("gpt")
    await press(page, "Begin")
    await page.getByLabel("Message", { exact: true }).fill("Make my tickets cheaper")
    await press(page, "Send")
    const approval = page.getByRole("region", { name: "Approve createRun?" })
    await approval.getByText("at most $5.00").waitFor()
    const runs = async () => (await api.get<{ readonly data: ReadonlyArray<unknown> }>("/v1/distill/runs")).body.data
    assert.lengthOf(await runs(), 1, "the rehearsal alone")
    assert.deepStrictEqual(await violations(page), [])
    await page.reload()
    await approval.getByRole("button", { name: "Approve" }).click()
    await page.getByText("The live run is queued.").waitFor()
    assert.lengthOf(await runs(), 2)
    assert.strictEqual(await page.getByText(/^request req_/).count(), 4)
    assert.deepStrictEqual(await shifts(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("is not there for a viewer (P1623)", async () => {
    const { page } = await signedIn("eve@example.com", "viewer")
    await look(page, "/assistant")
    await page.getByRole("heading", { name: "The assistant talks to signed-in people" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Assistant", exact: true }).count(), 0)
  })
})
