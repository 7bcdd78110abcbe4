/** An interrupted upload is completed with the same file. */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

interface SentPart {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

describe.skipIf(hindrance !== undefined)("uploads in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(async () => {
    await server.start()
  })

  /** Sends a file from a page; the connection is lost after two parts, and the same file is chosen again. Returns the ranges that followed. */
  const cutAndResumed = async (page: Page, place: string, file: SentPart): Promise<ReadonlyArray<string>> => {
    let parts = 0
    await page.route("**/content", (route) => (++parts > 2 ? route.abort() : route.continue()))
    await look(page, place)
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(file)
    await page.getByRole("alert").waitFor()
    await page.unroute("**/content")
    await look(page, "/data")
    await page.getByRole("link", { name: file.name }).click()
    const sent: Array<string> = []
    page.on("request", (request) => sent.push(request.headers()["content-range"] ?? ""))
    await page.getByLabel("Choose the same file again").setInputFiles(file)
    await page.getByText("succeeded").waitFor()
    return sent.filter((range) => range !== "")
  }

  it("that were cut off are completed with the same file, and what came is not sent again (P295)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const lines = Array.from(
      { length: 20_000 },
      (_, number) =>
        `{"messages":[{"role":"user","content":"question ${number}, ${"x".repeat(100)}"}],"completion":"a"}`
    )
    const file = { name: "long.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(lines.join("\n")) }
    const ranges = await cutAndResumed(page, "/data", file)
    assert.match(ranges[0] ?? "", /^bytes 2097152-/, "the two parts that came are not sent again")
    await page.getByText("20,000").waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("of models are resumed too, and registered as students (P295, P429)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const buffer = Buffer.alloc(3 * 1024 ** 2)
    buffer.write("GGUF")
    const file = { name: "desk.gguf", mimeType: "application/octet-stream", buffer }
    const ranges = await cutAndResumed(page, "/students", file)
    assert.match(ranges[0] ?? "", /^bytes 2097152-/)
    await page.getByRole("button", { name: "Register as a student" }).click()
    await page.getByLabel("Name").fill("desk, tuned")
    await page.getByLabel("Base model").fill("tiny")
    await page.getByRole("button", { name: "Register", exact: true }).click()
    await page.getByRole("heading", { name: "desk, tuned", level: 1 }).waitFor()
    await page.getByText(createHash("sha256").update(buffer).digest("hex")).waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
