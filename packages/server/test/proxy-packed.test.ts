// @effect-diagnostics globalFetch:off
/** Calls with a content coding: unpacked for decisions, and passed on unchanged (contract 16.45). */
import * as zlib from "node:zlib"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import { deployAndWait, llm, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { create } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { calls, type Detail } from "./support/Captured.ts"
import { expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { asked, chat, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

type Bytes = Uint8Array<ArrayBuffer>

const packers: Readonly<Record<string, (bytes: Uint8Array) => Bytes>> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  "Gzip, identity, br": (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const send = (house: House, { liveToken }: Workspace, body: Bytes, coding: string, more = {}) =>
  fetch(house.origin + chat, {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${liveToken}`,
      "content-type": "application/json",
      "content-encoding": coding,
      ...more
    }
  })

const refusalOf = async (answer: Response) => {
  const { error } = (await answer.json()) as ErrorEnvelope // Every refusal is an envelope.
  return { status: answer.status, code: error.code, param: error.param }
}

const refused = (status: number, param: string | null) => ({ status, code: "invalid_request_error", param })

onOneStorage(
  "a packed call",
  (house) => {
    it("is captured plain, and reaches its source with the bytes and the coding of its client (P802)", async () => {
      const workspace = await house.workspace()
      const base = models.base((_, response) => void response.end("{}"))
      await create(workspace.live, { base_url: base, default: true })
      for (const [coding, pack] of Object.entries(packers)) {
        const question = {
          model: "gpt",
          messages: [{ role: "user", content: `How is ${coding}? ${"é".repeat(9_000)}` }]
        }
        const packed = pack(json(question))
        const answer = await send(house, workspace, packed, coding)
        assert.strictEqual(answer.status, 200, coding)
        const received = models.at(base).at(-1)
        assert.isTrue(Buffer.from(packed).equals(received?.bytes ?? new Uint8Array()), coding)
        assert.strictEqual(received?.headers["content-encoding"], coding)
        const id = answer.headers.get("x-service-call-id") ?? ""
        const call = expectStatus(await workspace.live.get<Detail>(`${calls}/${id}`), 200)
        assert.deepInclude<object>(call, { model: "gpt", request: question })
      }
    })

    it("of svc: reaches the student, and its fallback, plain and with their own models (P802)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const { id: version } = await ticketsVersion(live)
      const student_model = await studentOf(live, llm, version)
      const away = models.base((_, response) => void response.writeHead(500).end())
      const upstream = models.base((_, response) => void response.end('{"choices": []}'))
      await create(live, { base_url: models.base((_, response) => void response.end("{}")), default: true })
      const fallback = await fallbackTo(live, upstream, { name: "fallback" })
      const endpoint = { base_url: away, model: "student-1", api_key: key }
      await deployAndWait(live, { alias: "packed", student_model, mode: "active", endpoint, fallback })
      const question = asked("packed")
      const answer = await send(house, workspace, zlib.gzipSync(json(question)), "gzip")
      assert.strictEqual(answer.headers.get("x-service-served-by"), "upstream_fallback")
      for (const [base, model] of [
        [away, "student-1"],
        [upstream, "gpt"]
      ] as const) {
        const [received, ...others] = models.at(base)
        assert.isEmpty(others)
        assert.deepStrictEqual(JSON.parse(received?.body ?? ""), { ...question, model })
        assert.notProperty(received?.headers ?? {}, "content-encoding")
      }
    })

    it("of a managed source is held to the model that it names inside (P802)", async () => {
      const workspace = await house.workspace()
      const base_url = models.base((_, response) => void response.end("{}"))
      await create(workspace.live, { base_url, kind: "managed", default: true, models: ["gpt"] })
      const statusFor = async (model: string) => {
        const packed = zlib.gzipSync(json({ model, messages: [{ role: "user", content: "The capital of France?" }] }))
        return (await send(house, workspace, packed, "gzip")).status
      }
      assert.strictEqual(await statusFor("other"), 400)
      assert.isEmpty(models.at(base_url))
      assert.strictEqual(await statusFor("gpt"), 200)
    })

    it("is refused where it cannot be read: by its coding, its length, or what is missing (P802)", async () => {
      const workspace = await house.workspace()
      const base = models.base((_, response) => void response.end("{}"))
      await create(workspace.live, { base_url: base, default: true })
      const refuse = async (body: Bytes, coding: string) => refusalOf(await send(house, workspace, body, coding))
      const whole = json({ model: "gpt", messages: [] })
      const unknown = refused(415, "Content-Encoding")
      assert.deepStrictEqual(await refuse(whole, "compress"), unknown)
      assert.deepStrictEqual(await refuse(zlib.gzipSync(whole), "gzip, aws-chunked"), unknown)
      assert.deepStrictEqual(await refuse(zlib.gzipSync(whole), "gzip, gzip, gzip, gzip"), unknown)
      for (const [coding, pack] of Object.entries(packers)) {
        assert.deepStrictEqual(await refuse(pack(Buffer.alloc(17 * 1024 ** 2)), coding), refused(413, null), coding)
        const packed = pack(whole)
        const damaged = refused(400, "Content-Encoding")
        assert.deepStrictEqual(await refuse(packed.slice(0, -3), coding), damaged, coding)
        assert.deepStrictEqual(await refuse(whole, coding), damaged, coding)
        const followed = new Uint8Array(Buffer.concat([packed, Buffer.from('{"model":"svc:other"}')]))
        assert.deepStrictEqual(await refuse(followed, coding), damaged, coding)
      }
      assert.isEmpty(models.at(base))
    })
  },
  serving
)
