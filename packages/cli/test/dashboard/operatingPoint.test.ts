/** The decision of a report, and the settings of a deployment: one operating point, chosen, deployed and changed on the page. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"
import { isDrawn, train } from "./TrainedStudent.ts"

const percent = (share: number) => `${Number((100 * share).toFixed(2))} %`

/** What axe-core and the widths of a desk and a phone find. */
const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found = [...(await violations(page))]
  await page.emulateMedia({ colorScheme: "dark" })
  found.push(...(await violations(page, "colors")))
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  found.push(...(await tooWide(page)))
  await page.setViewportSize({ width: 1280, height: 900 })
  return found
}

describe.skipIf(hindrance !== undefined)("the operating point on the dashboard", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  let client: Client
  let student = ""
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    const models = new Models()
    await models.open()
    atEnd(() => models.close())
    const environment = { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" }
    server = await new Servers.Server(atEnd, environment).start()
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const base_url = models.speaking("refund")
    await client.sources.create({
      name: "teacher",
      kind: "byok",
      api_key: key,
      models: ["gpt"],
      default: true,
      base_url
    })
    student = await train(client)
  })

  const reportOf = async () => client.reports.get((await client.studentModels.get(student)).report ?? "")

  it("is read from a curve by the keyboard, and deployed as it is shown (P1745)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const report = await reportOf()
    await look(page, `/reports/${report.id}`)
    assert.include(await page.getByRole("heading", { level: 1 }).textContent(), "Sorter 2")
    const slider = page.getByRole("slider", { name: "Threshold" })
    await slider.focus()
    for (const [key, point] of [
      ["End", report.agreement_at.at(-1)],
      ["ArrowLeft", report.agreement_at.at(-2)],
      ["Home", report.agreement_at[0]]
    ] as const) {
      await page.keyboard.press(key)
      const tile = page.locator(".figure", { hasText: "Student answers" })
      await tile.getByText(percent(point?.share ?? 0), { exact: true }).waitFor()
      assert.include(await slider.getAttribute("aria-valuetext"), `${point?.threshold}: the student answers`)
      await page.getByRole("button", { name: `Deploy at ${point?.threshold}`, exact: true }).waitFor()
    }
    assert.deepStrictEqual(await faultsOf(page), [])
    await page.keyboard.press("End")
    const strictest = report.agreement_at.at(-1)?.threshold ?? 0
    await page.getByRole("button", { name: `Deploy at ${strictest}`, exact: true }).click()
    assert.strictEqual(await page.getByLabel("Left to the fallback").inputValue(), String(strictest))
    await page.getByLabel("Alias").fill("chosen")
    await page.getByRole("button", { name: "Deploy", exact: true }).click()
    await page.getByRole("heading", { name: "svc:chosen", level: 1 }).waitFor()
    const [made] = await client.deployments.list({ alias: "chosen" }).all()
    assert.strictEqual(made?.fallback?.below_confidence, strictest)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("is the recommended one in the dialogs of the report and of its student (P1746)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const report = await reportOf()
    const recommended = report.recommendation?.threshold
    assert.isDefined(recommended)
    for (const place of [`/reports/${report.id}`, `/students/${student}`]) {
      await look(page, place)
      await page.getByRole("button", { name: "Deploy…" }).click()
      const dialog = page.getByRole("dialog")
      const threshold = dialog.getByLabel("Left to the fallback")
      assert.strictEqual(await threshold.inputValue(), String(recommended), place)
      assert.strictEqual(await dialog.getByLabel("Alias").inputValue(), "sorter-2", place)
      await dialog.getByText("As its report recommends").waitFor()
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  const deploymentOf = async (alias: string, fields: object) => {
    const fallback = { source: "teacher", model: "gpt" }
    const made = await client.deployments.create({ alias, student_model: student, mode: "shadow", fallback, ...fields })
    await eventually("it is ready", async () => (await client.deployments.get(made.id)).status === "ready")
    return made.id
  }

  const change = async (page: Page, fields: Readonly<Record<string, string>>) => {
    const dialog = page.getByRole("dialog")
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
    await page.getByRole("button", { name: "Change", exact: true }).click()
  }

  it("is changed on the page of its deployment, and what nobody typed over stays (P1747)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const id = await deploymentOf("changed", {})
    const before = await client.deployments.get(id)
    await look(page, `/deployments/${id}`)
    await page.getByRole("button", { name: "Change…" }).click()
    assert.deepStrictEqual(await violations(page), [], "the dialog")
    await change(page, { "Share of calls": "40", Threshold: "0.7", Compared: "5", "Time limit": "1500" })
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByText("below a confidence of 0.7").waitFor()
    const { fallback, guard, timeout_ms, traffic_percent } = await client.deployments.get(id)
    assert.deepStrictEqual(
      { fallback, guard, timeout_ms, traffic_percent },
      {
        fallback: { source: before.fallback?.source ?? "", model: "gpt", below_confidence: 0.7 },
        guard: before.guard && { ...before.guard, verify_percent: 5 },
        timeout_ms: 1_500,
        traffic_percent: 40
      }
    )
    assert.deepStrictEqual(await faultsOf(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("has the refusals of the server at their fields (P1747)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const id = await deploymentOf("refused", { mode: "active", guard: null })
    await look(page, `/deployments/${id}`)
    await page.getByRole("button", { name: "Change…" }).click()
    const refusalAt = async (label: string) => {
      const field = page.locator(".field", { has: page.getByLabel(label) })
      await field.getByRole("alert").waitFor()
      assert.strictEqual(await page.getByLabel(label).getAttribute("aria-invalid"), "true")
      assert.strictEqual(await page.getByRole("alert").count(), 1)
      return (await field.getByRole("alert").textContent()) ?? ""
    }
    await change(page, { "Time limit": "900000000" })
    assert.match(await refusalAt("Time limit"), /timeout|less than|between|600/i)
    await page.getByLabel("When the agreement falls").selectOption("fallback")
    await change(page, { "Time limit": "1500", "Floor of the agreement": "1" })
    assert.include(await refusalAt("Floor of the agreement"), "The holdout")
    assert.deepStrictEqual(await violations(page), [], "the dialog with a refusal")
    assert.strictEqual((await client.deployments.get(id)).guard, null)
    await page.getByRole("button", { name: "Cancel" }).click()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("changes the meaning of a failed fallback, and moves to another student: the server's figures stand at the field (P1757)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const worse = await train(client, isDrawn)
    const id = await deploymentOf("moved", { mode: "active" })
    const before = await client.deployments.get(id)
    await look(page, `/deployments/${id}`)
    await page.getByText("the call fails").waitFor()
    await page.getByRole("button", { name: "Change…" }).click()
    await page.getByLabel("When the fallback fails").selectOption("answer")
    await page.getByLabel("Student", { exact: true }).selectOption(worse)
    await change(page, {})
    const field = page.locator(".field", { has: page.getByLabel("Student", { exact: true }) })
    const refusal = (await field.getByRole("alert").textContent()) ?? ""
    assert.match(refusal, /of \d+ held-out rows that both answered it agrees .* on \d+ \([\d.]+ %\)/)
    assert.strictEqual(await page.getByRole("alert").count(), 1)
    assert.deepStrictEqual(await violations(page), [], "the dialog with a refusal")
    assert.deepStrictEqual((await client.deployments.get(id)).student_model, student)

    await page.getByLabel("Student", { exact: true }).selectOption(student)
    await page.getByLabel("The student gives").selectOption("closed_only")
    await change(page, {})
    const fields = page.locator(".field", { has: page.getByLabel("The student gives") })
    await fields.getByRole("alert").filter({ hasText: "has learnt whole answers" }).waitFor()

    await page.getByLabel("The student gives").selectOption("whole")
    await page.getByLabel("Student", { exact: true }).selectOption(worse)
    await page.getByLabel("When the agreement falls").selectOption("off")
    await change(page, {})
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByText("the student answers all the same").waitFor()
    const after = await client.deployments.get(id)
    const expected = { ...before, student_model: worse, on_fallback_failure: "answer", guard: null }
    const { fallback, fields: given, guard, on_fallback_failure, student_model, timeout_ms, traffic_percent } = expected
    const settings = { fallback, fields: given, guard, on_fallback_failure, student_model, timeout_ms, traffic_percent }
    assert.deepInclude<object>(after, settings)
    assert.deepStrictEqual(await faultsOf(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
