/** The server's memory use for a large content, run like `npm start` and measured by `/metrics`. */
import { createHash } from "node:crypto"
import { request } from "node:http"
import { Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, type Upload } from "./Api.ts"
import { quiet, Server } from "./Server.ts"

const rowBytes = 1_024
const rows = 200_000

const row = (index: number): string => {
  const head = `{"messages":[{"role":"user","content":"Ticket ${index}: `
  const tail = `"}],"completion":"a"}\n`
  return head.padEnd(rowBytes - tail.length, String(index)) + tail
}

/** Rows `from` to before `to`, a hundred at a time. */
function* chunks(from: number, to: number): Generator<Buffer> {
  for (let first = from; first < to; first += 100) {
    yield Buffer.from(Array.from({ length: Math.min(100, to - first) }, (_, index) => row(first + index)).join(""))
  }
}

const digest = (): string => {
  const hash = createHash("sha256")
  for (const chunk of chunks(0, rows)) hash.update(chunk)
  return hash.digest("hex")
}

/** Sends announced content from a given row; `cut` aborts in the middle. */
const send = (server: Server, upload: Upload, from: number, cut: boolean): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { pathname, search } = new URL(upload.upload_url)
    const sending = request(server.origin + pathname + search, {
      method: "PUT",
      headers: { "content-range": `bytes ${from * rowBytes}-${rows * rowBytes - 1}/${rows * rowBytes}` }
    })
    sending.on("response", (response) => resolve(response.resume().statusCode))
    sending.on("error", (error) => (cut ? resolve(undefined) : reject(error)))
    const content = Readable.from(chunks(from, cut ? rows / 2 : rows))
    content.pipe(sending, { end: !cut })
    if (cut) content.on("end", () => sending.destroy())
  })

const residentBytes = async (api: Api): Promise<number> => {
  const [, bytes] = /^process_resident_memory_bytes(?:\{.*\})? (\d+)/m.exec(await api.text("/metrics")) ?? []
  assert.isDefined(bytes)
  return Number(bytes)
}

/** How much more memory the server had at most while `work` was done than before it, in bytes. */
const growthDuring = async (server: Server, work: () => Promise<void>): Promise<number> => {
  const api = new Api(server)
  const before = await residentBytes(api)
  let [most, done] = [before, false]
  const watch = async () => {
    while (!done) {
      most = Math.max(most, await residentBytes(api))
      await sleep(100)
    }
  }
  const watching = watch()
  await work().finally(() => {
    done = true
  })
  await watching
  return most - before
}

describe("memory", () => {
  it("a large content, cut in the middle and resumed, is taken and read in little memory (P88)", {
    timeout: 2 * patienceMillis
  }, async ({ onTestFinished }) => {
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const settings = { ...quiet, NODE_DISABLE_COMPILE_CACHE: "1", STORAGE: "embedded", DATA_DIR }
    const server = await new Server(onTestFinished, settings).start()
    const api = new Api(server)
    const sha256 = digest()
    const growth = await growthDuring(server, async () => {
      const upload = await api.announce()
      assert.isUndefined(await send(server, upload, 0, true))
      const { pathname, search } = new URL(upload.upload_url)
      const { headers } = await api.call("HEAD", pathname + search)
      const offset = Number(headers.get("upload-offset"))
      assert.isAbove(offset, 0)
      // On from a whole row: the generator begins with one.
      const whole = Math.floor(offset / rowBytes)
      assert.strictEqual(await send(server, upload, whole, false), 202)
      assert.deepInclude(await api.uploaded(upload), { status: "succeeded", rows, sha256 })
    })
    assert.isBelow(growth, 120e6)
  })
})
