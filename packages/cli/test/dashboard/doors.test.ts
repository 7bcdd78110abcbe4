/** The pages in front of a workspace, and its page of people: for readers who cannot see them, with long names, on a phone. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import type { Page } from "playwright-core"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { inside, open, PeopleServer, press } from "./PeopleServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

/** No blank, so that a line can only end within it. */
const long = "W".repeat(90)
const emailOf = (name: string) => `${name}.${"w".repeat(50)}@${"w".repeat(60)}.example`

describe.skipIf(hindrance !== undefined)("the pages in front of a workspace", () => {
  const eyesOf = eyesOfSuite()
  let server: PeopleServer
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    server = await PeopleServer.start(atEnd)
  })

  const check = async (page: Page, place: string) => {
    assert.deepStrictEqual(await tooWide(page), [], place)
    assert.deepStrictEqual(await violations(page), [], place)
  }

  const invite = async (owner: Page, email: string) => {
    await look(owner, "/workspace")
    await press(owner, "Invite a person")
    await owner.getByLabel("E-mail address").fill(email)
    await press(owner, "Invite")
    const link = (await owner.getByRole("dialog").locator("pre").textContent()) ?? ""
    await check(owner, "the link of an invitation")
    await press(owner, "Close")
    return link
  }

  for (const [width, colorScheme] of [
    [390, "dark"],
    [1280, "light"]
  ] as const) {
    it(`fit a screen of ${width} pixels with names of any length, and have nothing that axe-core objects to (P956)`, async () => {
      const eyes = eyesOf(onTestFinished)
      const options = { viewport: { width, height: 844 }, colorScheme }
      const ownerEmail = emailOf(`owner${width}`)
      await server.add(ownerEmail, "owner", long)
      const owner = await eyes.page(server.origin, options)
      await open(owner, await server.linkOf(ownerEmail))
      await owner.getByRole("heading", { name: /^Sign in as/ }).waitFor()
      await check(owner, "a sign-in link")
      await press(owner, /^Sign in as/)
      await inside(owner)

      const guestEmail = emailOf(`guest${width}`)
      await server.add(guestEmail, "viewer", long)
      await server.command("person", "role", guestEmail, "--workspace", server.workspace, "--role", "none")
      const invitation = await invite(owner, guestEmail)
      const guest = await eyes.page(server.origin, options)
      await open(guest, invitation)
      await guest.getByRole("heading", { name: /^Join / }).waitFor()
      await check(guest, "an invitation's link")
      await open(guest, await server.linkOf(guestEmail))
      await press(guest, /^Sign in as/)
      await guest.getByRole("list", { name: "Your invitations" }).waitFor()
      await check(guest, "invitations")
      await press(guest, "Decline")
      await guest.getByRole("heading", { name: "No workspace yet" }).waitFor()
      await check(guest, "a person without a workspace")

      await invite(owner, emailOf(`new${width}`))
      await owner.getByRole("table", { name: "Invitations" }).waitFor()
      await check(owner, "people and invitations")
      await open(guest, `${server.origin}/#/sign-in/nothing`)
      await guest.getByRole("heading", { level: 1 }).waitFor()
      await check(guest, "a link that cannot be used")
      assert.deepStrictEqual(eyes.faults.errors, [])
    })
  }

  it("an invitation's link shows the same whether or not anybody has the address (P860)", async () => {
    const eyes = eyesOf(onTestFinished)
    await server.add("host@example.com", "owner")
    const owner = await eyes.page(server.origin)
    await open(owner, await server.linkOf("host@example.com"))
    await press(owner, /^Sign in as/)
    await inside(owner)
    const elsewhere = (await server.command("workspace", "create", "--name", "Elsewhere")).split(" ")[0] ?? ""
    await server.add("known@example.com", "viewer", "Known Person", elsewhere)
    const shown = async (email: string) => {
      const link = await invite(owner, email)
      const stranger = await eyes.page(server.origin)
      await open(stranger, link)
      await stranger.getByRole("heading", { name: /^Join / }).waitFor()
      return (await stranger.locator("main").innerHTML()).replaceAll(email, "ADDRESS")
    }
    assert.strictEqual(await shown("known@example.com"), await shown("new@example.com"))
  })
})
