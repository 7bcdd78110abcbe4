// @effect-diagnostics globalFetch:off globalDate:off
/** The example, spoken to by a sender in plain Node. */
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const page = new URL("../../../docs/receiving.md", import.meta.url)
const secret = "whsec_test"

/** The example with its output, running until the end of the test. */
const started = async () => {
  const example = spawn(process.execPath, ["--conditions=@limbeck/source", main], {
    env: { PATH: process.env["PATH"], PORT: "0", WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void example.kill("SIGKILL"))
  const lines = createInterface({ input: example.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? ""
  return { url: `http://127.0.0.1:${JSON.parse(await nextLine()).port}/`, nextLine }
}

const deliver = async (url: string, id: string, key = secret): Promise<number> => {
  const body = JSON.stringify({ id, type: "distill.run.succeeded", data: { object: { id: `run of ${id}` } } })
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac("sha256", key).update(`${time}.${body}`).digest("hex")
  const { status } = await fetch(url, {
    method: "POST",
    body,
    headers: { "service-signature": `t=${time},v1=${digest}` }
  })
  return status
}

describe("the example", () => {
  it("takes each event once, and none that it cannot verify", async () => {
    const { nextLine, url } = await started()
    assert.strictEqual(await deliver(url, "evt_0", "whsec_other"), 400)
    for (const id of ["evt_1", "evt_1", "evt_2"]) assert.strictEqual(await deliver(url, id), 204)
    const lines = [await nextLine(), await nextLine()]
    assert.deepStrictEqual(lines, ["distill.run.succeeded run of evt_1", "distill.run.succeeded run of evt_2"])
  })

  it("is the one of docs/receiving.md", () => {
    assert.include(readFileSync(page, "utf8"), `\`\`\`ts\n${readFileSync(main, "utf8")}\`\`\``)
  })
})
