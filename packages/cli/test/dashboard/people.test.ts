// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** People in the dashboard: in by a link, each with what their role allows. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { hindrance, look } from "./Browser.ts"
import { inside, open, PeopleServer, press } from "./PeopleServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("people in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  let server: PeopleServer
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    server = await PeopleServer.start(atEnd)
  })

  /** Somebody new with a role, signed in by the link that the operator made. Their name would be a script if it could. */
  const signedIn = async (email: string, role: string) => {
    await server.add(email, role, `<img src=x onerror="window.hacked=1">${role}`)
    const link = await server.linkOf(email)
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(server.origin)
    await open(page, link)
    await press(page, /^Sign in as/)
    await inside(page)
    return { eyes, page, link }
  }

  it("an owner performs operations that are refused to tokens, in either mode, and a link works once (P296)", async () => {
    const { eyes, link, page } = await signedIn("ann@example.com", "owner")
    assert.notInclude(page.url(), "sign-in", "the secret has left the address")
    await look(page, "/billing")
    await page.getByRole("button", { name: "Top up" }).click()
    await page.getByLabel("US dollars").fill("25")
    await page.getByLabel("Reference").fill("invoice 1")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("table", { name: "Ledger" }).getByText("$25.00").waitFor()
    await look(page, "/workspace")
    await page.getByText("window.hacked=1").waitFor()
    assert.isFalse(await page.evaluate(() => "hacked" in window))
    await page.getByLabel("Mode").selectOption("test")
    await page.locator(".shell.test").waitFor()
    await page.reload()
    await page.locator(".shell.test").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API token").waitFor()
    await open(page, link)
    await page.getByRole("alert").filter({ hasText: /link/i }).waitFor()
    assert.strictEqual(await page.getByRole("navigation").count(), 0)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("a viewer looks at everything, and may change nothing (P296)", async () => {
    const { eyes, page } = await signedIn("eve@example.com", "viewer")
    for (const [place, button] of [
      ["/sources", "Add a source"],
      ["/tokens", "Make a token"],
      ["/webhooks", "Add an endpoint"],
      ["/calls", "Make a dataset of these"]
    ] as const) {
      await look(page, place)
      assert.isTrue(await page.getByRole("button", { name: button }).isDisabled(), button)
    }
    await look(page, "/workspace")
    assert.strictEqual(await page.getByRole("button", { name: "Invite a person" }).count(), 0)
    await look(page, "/data")
    assert.isTrue(await page.getByLabel("Drop a file here, or choose one").isDisabled())
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("a link asks before it signs anybody in: to open or to scan it uses nothing up (P868, P869)", async () => {
    const { page } = await signedIn("asked@example.com", "viewer")
    await server.add("other@example.com", "member", "Otto")
    const link = await server.linkOf("other@example.com")
    // A mail scanner runs scripts but presses no button.
    const scanner = await eyesOf(onTestFinished).page("about:blank")
    await open(scanner, link)
    await scanner.getByRole("heading", { name: "Sign in as Otto (other@example.com)?" }).waitFor()
    assert.deepStrictEqual(await scanner.context().cookies(), [])
    // Opening the link in a loaded dashboard does not reload the page.
    await page.evaluate((url) => location.assign(url), link)
    await page.getByRole("heading", { name: "Sign in as Otto (other@example.com)?" }).waitFor()
    assert.notInclude(page.url(), "sign-in")
    await page.getByText("You are signed in as").waitFor()
    await press(page, /^Stay signed in/)
    await inside(page)
    const cookieOf = async () => (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join()
    const before = await cookieOf()
    const statusOf = async (cookie: string) =>
      (await fetch(`${server.origin}/v1/session`, { headers: { cookie } })).status
    assert.strictEqual(await statusOf(before), 200)
    await page.evaluate((url) => location.assign(url), link)
    await press(page, /^Sign in as Otto/)
    await inside(page)
    await look(page, "/workspace")
    await page.locator("dl").getByText("member", { exact: true }).waitFor()
    assert.deepStrictEqual([await statusOf(before), await statusOf(await cookieOf())], [401, 200])
    await open(scanner, link)
    await scanner.getByRole("alert").filter({ hasText: /link/i }).waitFor()
  })

  it("an owner invites by a link, which a person who is new accepts in one press (P870)", async () => {
    const { eyes, page } = await signedIn("inviter@example.com", "owner")
    await look(page, "/workspace")
    await press(page, "Invite a person")
    await page.getByLabel("E-mail address").fill("nell@example.com")
    await page.getByLabel("Role").selectOption("member")
    await press(page, "Invite")
    const link = (await page.getByRole("dialog").locator("pre").textContent()) ?? ""
    await press(page, "Close")
    await page.getByRole("table", { name: "Invitations" }).getByText("nell@example.com").waitFor()
    assert.strictEqual(await page.getByRole("table", { name: "People" }).getByText("nell@example.com").count(), 0)

    const nell = await eyes.page(server.origin)
    await open(nell, link)
    await nell.getByRole("heading", { name: /^Join .* as member\?$/ }).waitFor()
    assert.notInclude(nell.url(), "invitation")
    await press(nell, "Accept, and sign in")
    await inside(nell)
    await look(nell, "/tokens")
    await press(nell, "Make a token")
    await nell.getByLabel("Name").fill("nell's laptop")
    await nell.getByLabel("Models").fill("gpt-*, svc:desk")
    await nell.getByLabel("Requests a minute").fill("60")
    await nell.getByLabel("US dollars a day").fill("2.5")
    assert.notInclude(await nell.getByLabel("Purpose").textContent(), "Everything")
    await press(nell, "Make")
    await press(nell, "Close")
    await nell.getByRole("table", { name: "Tokens" }).getByText("you", { exact: true }).waitFor()
    const limits = "gpt-*, svc:desk; 60 a minute; $2.50 a day"
    await nell.getByRole("table", { name: "Tokens" }).getByText(limits, { exact: true }).waitFor()

    await look(page, "/tokens")
    await page.getByRole("table", { name: "Tokens" }).getByText("nell@example.com", { exact: true }).waitFor()
    await look(page, "/workspace")
    const row = page.getByRole("table", { name: "People" }).getByRole("row").filter({ hasText: "nell@example.com" })
    await row.getByRole("button", { name: "Remove" }).click()
    await page.getByRole("list", { name: "Their tokens" }).getByText("nell's laptop").waitFor()
    await page.getByLabel("These tokens").selectOption("keep")
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await row.waitFor({ state: "detached" })
    await look(page, "/tokens")
    await page.getByRole("table", { name: "Tokens" }).getByText("you", { exact: true }).waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("a person sees what they are invited to, and accepts or declines it in their session (P870)", async () => {
    const owner = await signedIn("host@example.com", "owner")
    const invite = async (email: string) => {
      await look(owner.page, "/workspace")
      await press(owner.page, "Invite a person")
      await owner.page.getByLabel("E-mail address").fill(email)
      await press(owner.page, "Invite")
      const link = (await owner.page.getByRole("dialog").locator("pre").textContent()) ?? ""
      await press(owner.page, "Close")
      return link
    }
    const other =
      (await server.command("workspace", "create", "--name", "Elsewhere")).split("\n")[0]?.split(" ")[0] ?? ""
    await server.add("guest@example.com", "viewer", "guest", other)
    const link = await invite("guest@example.com")
    const guest = await owner.eyes.page(server.origin)
    // An invitation's link never signs in an existing person.
    await open(guest, link)
    await press(guest, "Accept, and sign in")
    await guest
      .getByRole("alert")
      .filter({ hasText: /signs in first/ })
      .waitFor()
    await open(guest, await server.linkOf("guest@example.com"))
    await press(guest, /^Sign in as/)
    await inside(guest)
    await guest.getByRole("link", { name: "1 invitation" }).click()
    await guest.getByRole("list", { name: "Your invitations" }).getByRole("button", { name: "Accept" }).click()
    await guest.getByRole("link", { name: "1 invitation" }).waitFor({ state: "detached" })
    assert.strictEqual(await guest.getByLabel("Workspace").inputValue(), server.workspace)

    // Somebody without a role anywhere.
    await server.add("lone@example.com", "viewer")
    await server.command("person", "role", "lone@example.com", "--workspace", server.workspace, "--role", "none")
    await invite("lone@example.com")
    const lone = await owner.eyes.page(server.origin)
    await open(lone, await server.linkOf("lone@example.com"))
    await press(lone, /^Sign in as/)
    await press(lone, "Decline")
    await lone.getByRole("heading", { name: "No workspace yet" }).waitFor()
    const again = await invite("lone@example.com")
    await lone.evaluate((url) => location.assign(url), again)
    await press(lone, "Accept")
    await inside(lone)
    assert.deepStrictEqual(owner.eyes.faults.errors, [])
  })

  it("a session ends, and is replaced, in all tabs of the browser (P871)", async () => {
    const { eyes, page } = await signedIn("tabs@example.com", "viewer")
    await server.add("second@example.com", "member", "Zoe")
    const tab = await page.context().newPage()
    await tab.goto(server.origin)
    await inside(tab)
    await look(tab, "/calls")
    await page.evaluate((url) => location.assign(url), await server.linkOf("second@example.com"))
    await press(page, /^Sign in as Zoe/)
    await inside(page)
    await tab.locator("header").getByText("member", { exact: true }).waitFor()
    await press(page, "Sign out")
    await tab.getByLabel("API token").waitFor()
    assert.strictEqual(await tab.getByRole("navigation").count(), 0)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
