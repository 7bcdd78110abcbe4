/** An upload that is cut off is completed with the same file. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import * as Servers from "../Server.ts"
import { Eyes, hindrance, look } from "./Browser.ts"

describe.skipIf(hindrance !== undefined)("uploads in the dashboard", () => {
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(async () => {
    await server.start()
  })

  it("that were cut off are completed with the same file, and what came is not sent again (P295)", async () => {
    const eyes = await Eyes.open(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const lines = Array.from(
      { length: 20_000 },
      (_, number) =>
        `{"messages":[{"role":"user","content":"question ${number}, ${"x".repeat(100)}"}],"completion":"a"}`
    )
    const file = { name: "long.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(lines.join("\n")) }
    let parts = 0
    // The connection is lost in the middle: after the second part nothing gets through.
    await page.route("**/content", (route) => (++parts > 2 ? route.abort() : route.continue()))
    await look(page, "/data")
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(file)
    await page.getByRole("alert").waitFor()
    await page.unroute("**/content")
    await page.getByRole("link", { name: "long.jsonl" }).click()
    const sent: Array<string> = []
    page.on("request", (request) => sent.push(request.headers()["content-range"] ?? ""))
    await page.getByLabel("Choose the same file again").setInputFiles(file)
    await page.getByText("20,000").waitFor()
    const ranges = sent.filter((range) => range !== "")
    assert.match(ranges[0] ?? "", /^bytes 2097152-/, "the two parts that came are not sent again")
    await page.getByText("succeeded").waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
