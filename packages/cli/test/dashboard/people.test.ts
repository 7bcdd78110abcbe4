/** People in the dashboard: in by a link, each with what their role allows. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Servers from "../Server.ts"
import { Eyes, hindrance, look } from "./Browser.ts"

describe.skipIf(hindrance !== undefined)("people in the dashboard", () => {
  let environment: Servers.Environment
  let server: Servers.Server
  let workspace = ""
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    const DATABASE_URL = await freshDatabase(atEnd)
    environment = { ...Servers.quiet, DATABASE_URL, DATA_DIR: await temporaryFolder(atEnd) }
    server = await new Servers.Server(atEnd, environment).start()
    workspace = (await command("workspace", "list")).split(" ")[0] ?? ""
  })

  const command = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await Servers.runToEnd({ ...environment, PUBLIC_URL: server.origin }, words)
    assert.deepStrictEqual([code, stderr], [0, []], words.join(" "))
    return stdout.join("\n")
  }

  /** Somebody new with a role, signed in by the link that the operator made. Their name would be a script if it could. */
  const signedIn = async (email: string, role: string) => {
    const name = ["--name", `<img src=x onerror="window.hacked=1">${role}`]
    await command("person", "add", email, "--workspace", workspace, "--role", role, ...name)
    const link = /http\S+$/.exec(await command("person", "link", email))?.[0] ?? ""
    const eyes = await Eyes.open(onTestFinished)
    const page = await eyes.page(server.origin)
    // Only what stands behind the `#` differs, so a browser would stay where it is.
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("navigation", { name: "Main" }).waitFor()
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
    await page.getByRole("button", { name: "Add a person" }).click()
    await page.getByLabel("E-mail address").fill("bob@example.com")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("table", { name: "People" }).getByText("bob@example.com").waitFor()
    await page.getByLabel("Mode").selectOption("test")
    await page.locator(".shell.test").waitFor()
    await page.reload()
    await page.locator(".shell.test").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API token").waitFor()
    await page.goto("about:blank")
    await page.goto(link)
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
    assert.strictEqual(await page.getByRole("button", { name: "Add a person" }).count(), 0)
    await look(page, "/data")
    assert.isTrue(await page.getByLabel("Drop a file here, or choose one").isDisabled())
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
