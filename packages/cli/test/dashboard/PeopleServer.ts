/** A server with people, on Postgres, and its operator's commands. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import type { Page } from "playwright-core"
import { runHere } from "../InProcess.ts"
import * as Servers from "../Server.ts"

export class PeopleServer {
  readonly #environment: Servers.Environment
  readonly origin: string
  /** The id of the first workspace. */
  workspace = ""

  private constructor(environment: Servers.Environment, origin: string) {
    this.#environment = environment
    this.origin = origin
  }

  static async start(atEnd: AtEnd, settings: Servers.Environment = {}): Promise<PeopleServer> {
    const DATABASE_URL = await freshDatabase(atEnd)
    const environment = { ...Servers.quiet, ...settings, DATABASE_URL, DATA_DIR: await temporaryFolder(atEnd) }
    const { origin } = await new Servers.Server(atEnd, environment).start()
    const server = new PeopleServer({ ...environment, PUBLIC_URL: origin }, origin)
    server.workspace = (await server.command("workspace", "list")).split(" ")[0] ?? ""
    return server
  }

  /** What the program prints. */
  async command(...words: ReadonlyArray<string>): Promise<string> {
    const { code, stderr, stdout } = await runHere(this.#environment, words)
    assert.deepStrictEqual([code, stderr], [0, []], words.join(" "))
    return stdout.join("\n")
  }

  add(email: string, role: string, name = email, workspace = this.workspace): Promise<string> {
    return this.command("person", "add", email, "--workspace", workspace, "--role", role, "--name", name)
  }

  async linkOf(email: string): Promise<string> {
    return /http\S+$/.exec(await this.command("person", "link", email))?.[0] ?? ""
  }
}

/** Loads the page anew with a link. */
export const open = async (page: Page, link: string) => {
  // A changed fragment alone would not reload the page.
  await page.goto("about:blank")
  await page.goto(link)
}

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" }).click()

export const inside = (page: Page) => page.getByRole("navigation", { name: "Main" }).waitFor()
