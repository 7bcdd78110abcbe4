/** Tokens in the dashboard: made with chosen scopes until a date, and rotated. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { AuthenticationError, makeClient } from "@limbeck/client"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const dayMillis = 86_400_000

describe.skipIf(hindrance !== undefined)("tokens in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(() => server.start())

  it("are made with scopes of one's own until a date, and rotated without a gap or at once (P1796)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    const client = makeClient({ baseUrl: server.origin, token: Servers.testToken })
    const whoamiOf = (token: string) => makeClient({ baseUrl: server.origin, token }).whoami()
    const shownSecret = async () => {
      const secret = (await page.getByLabel("the token", { exact: true }).textContent()) ?? ""
      await page.getByRole("button", { name: "Close" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      return secret
    }
    await look(page, "/tokens")
    await page.getByRole("button", { name: "Make a token" }).click()
    await page.getByLabel("Name").fill("the poller")
    await page.getByLabel("Purpose").selectOption("Own scopes")
    for (const scope of ["events:read", "webhooks:read"])
      await page.getByRole("checkbox", { name: scope }).press("Space")
    await page.getByLabel("Expires").selectOption("in 30 days")
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Make", exact: true }).click()
    const first = await shownSecret()
    const tokenNamed = async () => (await client.tokens.list().all()).filter(({ name }) => name === "the poller")
    const [made] = await tokenNamed()
    assert.sameMembers([...(made?.scopes ?? [])], ["events:read", "webhooks:read"])
    const days = (Date.parse(made?.expires_at ?? "") - Date.parse(made?.created_at ?? "")) / dayMillis
    assert.strictEqual(Math.round(days), 30)

    const row = page.getByRole("row", { name: "the poller" }).filter({ hasText: "active" }).first()
    await row.getByText("events:read, webhooks:read").waitFor()
    const expiry = await row.locator("time").last().getAttribute("datetime")
    assert.strictEqual(expiry, made?.expires_at)
    const rotate = async (overlap: string) => {
      await row.getByRole("button", { name: "Rotate" }).click()
      await page.getByLabel("The old one works").selectOption(overlap)
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
      return shownSecret()
    }
    const second = await rotate("for a day")
    for (const secret of [first, second])
      assert.strictEqual((await whoamiOf(secret)).workspace.id, (await client.whoami()).workspace.id)
    const third = await rotate("no longer: it ends at once")
    assert.sameMembers([...(await whoamiOf(third)).credential.scopes], ["events:read", "webhooks:read"])
    const refused = await whoamiOf(second).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(refused, AuthenticationError)
    assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(await tooWide(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("stand on no page: the first program is copied with the token, and shown without (P1801)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await look(page, "/")
    await page.getByRole("button", { name: "Copy a program" }).click()
    await page.getByText("Copied").waitFor()
    assert.include(await page.evaluate(() => navigator.clipboard.readText()), Servers.testToken)
    const shown = await page.evaluate(() => document.documentElement.innerHTML)
    assert.include(shown, 'apiKey: "svc_…"')
    assert.notInclude(shown, Servers.testToken)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
