/** Uploads: announced, sent, checked (contract 6, 14.2, 14.14, 14.20). */
import { createHash } from "node:crypto"
import { request } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import type { Upload } from "@limbeck/api/UploadsApi"
import { announce, contentPath, freshKey, linesOf, row, sendContent, settledUpload } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type UploadView = typeof Upload.Type

const uploads = "/v1/distill/uploads"
const content = linesOf([row(1), row(2), row(3)])
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")

onEachStorage(
  "uploads",
  (house) => {
    const anybody = house.client.bind(house, null)

    const settledAfter = async (caller: Client, body: RequestInit["body"], fields = {}, headers = {}) => {
      const upload = await announce(caller, fields)
      expectStatus(await sendContent(anybody(), upload, body, headers), 202)
      return settledUpload(caller, upload.id)
    }

    it("its URL, which lets its holder write, is shown to none who may only read (P352)", async () => {
      const { live } = await house.workspace()
      const { id, upload_url } = await announce(live, {})
      const shownTo = async (scopes: ReadonlyArray<string>) => {
        const made = await live.post<{ readonly secret: string }>("/v1/tokens", { name: "a", scopes })
        const client = house.client(expectStatus(made, 201).secret)
        const one = expectStatus(await client.get<UploadView>(`${uploads}/${id}`), 200)
        const [listed] = expectStatus(await client.get<ListOf<UploadView>>(uploads), 200).data
        return [one.upload_url, listed?.upload_url]
      }
      assert.deepStrictEqual(await shownTo(["distill:read"]), [null, null])
      assert.deepStrictEqual(await shownTo(["distill:read", "distill:write"]), [upload_url, upload_url])
    })

    it("a new upload says all about itself, and where its content goes", async () => {
      const { live } = await house.workspace()
      const { id: loop } = expectStatus(
        await live.post<{ readonly id: string }>("/v1/distill/loops", { name: "a" }),
        201
      )
      const upload = await announce(live, { bytes: 12, loop })
      assert.match(upload.id, /^upl_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepInclude(upload, {
        object: "upload",
        livemode: true,
        status: "awaiting_content",
        filename: "rows.jsonl",
        format: "chat_jsonl",
        rows: null,
        loop,
        errors: [],
        error_count: 0
      })
      assert.include(upload.upload_url, `/v1/distill/uploads/${upload.id}/content?`)
      assert.deepStrictEqual(expectStatus(await live.get<UploadView>(`${uploads}/${upload.id}`), 200), upload)
      assert.deepStrictEqual((await live.get<ListOf<UploadView>>(uploads)).body.data, [upload])
    })

    it("what is wrong with an announcement is named", async () => {
      const { live } = await house.workspace()
      const good = { filename: "a.jsonl", format: "chat_jsonl" }
      const cases = [
        [{ format: "chat_jsonl" }, "filename"],
        [{ ...good, filename: "" }, "filename"],
        [{ ...good, filename: "a".repeat(256) }, "filename"],
        [{ ...good, format: "csv" }, "format"],
        [{ ...good, bytes: -1 }, "bytes"],
        [{ ...good, bytes: 1.5 }, "bytes"],
        [{ ...good, sha256: "abc" }, "sha256"],
        [{ ...good, size: 3 }, "size"]
      ] as const
      for (const [body, param] of cases) assertInvalid(await live.post(uploads, body, freshKey()), param)
    })

    it("the format is chat_jsonl by default (P160)", async () => {
      const { live } = await house.workspace()
      const upload = expectStatus(await live.post<UploadView>(uploads, { filename: "a.jsonl" }, freshKey()), 201)
      assert.strictEqual(upload.format, "chat_jsonl")
    })

    it("five gigabytes may be announced, and no byte more", async () => {
      const { live } = await house.workspace()
      await announce(live, { bytes: 5 * 1024 ** 3 })
      const body = { filename: "a.jsonl", format: "chat_jsonl", bytes: 5 * 1024 ** 3 + 1 }
      assertRefused(await live.post(uploads, body, freshKey()), 413, "invalid_request_error", "bytes")
    })

    it("a holder of the URL may send, without a token; the rows are read after the answer", async () => {
      const { live } = await house.workspace()
      const upload = await announce(live)
      const sent = expectStatus(await sendContent(anybody(), upload, content), 202)
      assert.include(["processing", "succeeded"], sent.status)
      assert.isNull(sent.upload_url)
      const settled = await settledUpload(live, upload.id)
      assert.deepInclude(settled, { status: "succeeded", rows: 3, errors: [], error_count: 0, upload_url: null })
      assert.deepInclude(settled, { bytes: content.length, sha256: sha256(content) })
    })

    it("a token with the scope may send too, and any content type will do", async () => {
      const { live } = await house.workspace()
      for (const type of ["application/x-ndjson", "application/json", "text/plain; charset=utf-8"]) {
        const { id } = await announce(live)
        const headers = { "content-type": type }
        expectStatus(await live.send("PUT", `${uploads}/${id}/content`, { body: content, headers }), 202)
        assert.deepInclude(await settledUpload(live, id), { status: "succeeded", rows: 3 })
      }
    })

    it("content of unknown length ends with an empty range, or with its offset and no body (P23)", async () => {
      const { live } = await house.workspace()
      const total = content.length
      const ends = [{ "content-range": `bytes */${total}` }, { "upload-offset": `${total}` }]
      for (const headers of ends) {
        const upload = await announce(live)
        const open = { "content-range": `bytes 0-${total - 1}/*` }
        const waiting = expectStatus(await sendContent(anybody(), upload, content, open), 202)
        assert.deepInclude(waiting, { status: "awaiting_content", received_bytes: total })
        const early = { "content-range": `bytes */${total + 1}` }
        assertRefused(await sendContent(anybody(), upload, "", early), 409, "conflict_error", "Content-Range")
        const ended = expectStatus(await sendContent(anybody(), upload, "", headers), 202)
        assert.include(["processing", "succeeded"], ended.status)
        assert.deepInclude(await settledUpload(live, upload.id), { status: "succeeded", sha256: sha256(content) })
        // Said again, because its answer was lost.
        assert.strictEqual(expectStatus(await sendContent(anybody(), upload, "", headers), 202).status, "succeeded")
      }
      const upload = await announce(live)
      const withBody = await sendContent(anybody(), upload, "hello", { "upload-offset": "5" })
      assertInvalid(withBody, "Upload-Offset")
    })

    it("a wrong capability is a 404 like any unknown upload", async () => {
      const { live } = await house.workspace()
      const [upload, other] = [await announce(live), await announce(live)]
      const capability = new URL(other.upload_url ?? "").searchParams.get("capability")
      const path = `${uploads}/${upload.id}/content`
      for (const wrong of ["", "nonsense", capability, contentPath(upload).slice(-20)]) {
        const answer = await live.send("PUT", `${path}?capability=${wrong}`, { body: content })
        assertRefused(answer, 404, "not_found_error")
      }
      assertRefused(await anybody().send("PUT", path, { body: content }), 401, "authentication_error")
      assertInvalid(await anybody().send("PUT", `${path}?capability=a&capability=b`, { body: content }), "capability")
      assert.strictEqual((await live.get<UploadView>(`${uploads}/${upload.id}`)).body.status, "awaiting_content")
    })

    it("content is sent once", async () => {
      const { live } = await house.workspace()
      const upload = await announce(live)
      const answers = await Promise.all([1, 2, 3].map(() => sendContent(anybody(), upload, content)))
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [202, 409, 409])
      await settledUpload(live, upload.id)
      assertRefused(await sendContent(anybody(), upload, content), 409, "conflict_error")
    })

    it("a digest or size that does not match fails the upload", async () => {
      const { live } = await house.workspace()
      const wrong = [{ bytes: content.length + 1 }, { bytes: 1 }, { sha256: sha256("other") }]
      for (const fields of wrong) {
        const failed = await settledAfter(live, content, fields)
        assert.deepInclude(failed, { status: "failed", rows: null })
        assert.isNotEmpty(failed.errors)
      }
      const right = { bytes: content.length, sha256: sha256(content) }
      assert.deepInclude(await settledAfter(live, content, right), { status: "succeeded", rows: 3 })
    })

    it("gzip is known by its header and by its first bytes; digest and size are of what was sent", async () => {
      const { live } = await house.workspace()
      const packed = gzipSync(content)
      const fields = { bytes: packed.length, sha256: sha256(packed) }
      for (const headers of [{ "content-encoding": "gzip" }, { "content-type": "application/gzip" }, {}]) {
        const settled = await settledAfter(live, packed, fields, headers)
        assert.deepInclude(settled, { status: "succeeded", rows: 3, bytes: packed.length })
      }
      const two = Buffer.concat([packed, packed])
      assert.deepInclude(await settledAfter(live, two), { status: "succeeded", rows: 6, bytes: two.length })
      for (const bad of [packed.subarray(0, packed.length - 12), Buffer.concat([packed, Buffer.from("{}")])]) {
        assert.deepInclude(await settledAfter(live, bad), { status: "failed", error_count: 1 })
      }
      const plain = await settledAfter(live, content, {}, { "content-encoding": "gzip" })
      assert.deepInclude(plain, { status: "failed" })
    })

    it("bad lines fail the whole upload, and the first fifty are told", async () => {
      const { live } = await house.workspace()
      const bad = ["{", "[]", "1", '{"messages":[]}', '{"messages":[{"content":"a"}]}', '{"messages":"a"}']
      const few = await settledAfter(live, `${linesOf([row(1)])}${bad.join("\n")}\n${linesOf([row(2)])}`)
      assert.deepInclude(few, { status: "failed", rows: null, error_count: bad.length })
      assert.deepStrictEqual(
        few.errors.map(({ line }) => line),
        [2, 3, 4, 5, 6, 7]
      )
      assert.isTrue(few.errors.every(({ message }) => message.length > 0))
      const many = await settledAfter(live, "{\n".repeat(60))
      assert.deepStrictEqual([many.errors.length, many.error_count], [50, 60])
    })

    it("a row may end in a completion, a message of the assistant, or neither line break nor space", async () => {
      const { live } = await house.workspace()
      const message = { role: "user", content: "a" }
      const rows = [
        { messages: [message], completion: "b", tags: ["t"], external_id: "x", metadata: { deep: [1, null] } },
        { messages: [message], completion: { role: "assistant", content: "b" } },
        { messages: [message, { role: "assistant", content: "b" }] }
      ]
      const settled = await settledAfter(live, `\n${linesOf(rows).trimEnd()}`)
      assert.deepInclude(settled, { status: "succeeded", rows: 3 })
      const without = await settledAfter(live, linesOf([{ messages: [message] }]))
      assert.deepInclude(without, { status: "failed", error_count: 1 })
    })

    it("a connection that breaks loses nothing that came: the offset is told, and the rest goes on from there (P23)", async () => {
      const { live } = await house.workspace()
      const whole = Buffer.from(linesOf(Array.from({ length: 5_000 }, (_, index) => row(index))))
      const upload = await announce(live, { bytes: whole.length, sha256: sha256(whole) })
      const path = contentPath(upload)
      const broken = request(`${house.origin}${path}`, { method: "PUT", headers: { "content-length": whole.length } })
      broken.on("error", () => {})
      const middle = Math.floor(whole.length / 2)
      await new Promise<void>((resolve) => broken.write(whole.subarray(0, middle), () => resolve()))
      broken.destroy()
      const offset = async () => {
        const answer = await anybody().send("HEAD", path)
        expectStatus(answer, 200)
        return Number(answer.headers.get("upload-offset"))
      }
      let received = 0
      for (let asked = 0; received === 0 && asked < 10_000; asked++) received = await offset()
      assert.isAtMost(received, middle)
      const shown = expectStatus(await live.get<UploadView>(`${uploads}/${upload.id}`), 200)
      assert.deepInclude(shown, { status: "awaiting_content", upload_url: upload.upload_url })
      const rest = async (from: number, to: number, total: string) =>
        sendContent(anybody(), upload, whole.subarray(from, to + 1), {
          "content-range": `bytes ${from}-${to}/${total}`
        })
      let from = await offset()
      const partial = expectStatus(await rest(from, from + 999, "*"), 202)
      assert.deepInclude(partial, { status: "awaiting_content", received_bytes: from + 1_000 })
      // Who did not hear the answer may send the same part again, but nobody may leave a gap.
      expectStatus(await rest(from, from + 999, "*"), 202)
      const gap = await rest(from + 1_001, whole.length - 1, `${whole.length}`)
      assertRefused(gap, 409, "conflict_error", "Content-Range")
      from = await offset()
      assert.strictEqual((await live.get<UploadView>(`${uploads}/${upload.id}`)).body.received_bytes, from)
      expectStatus(await rest(from, whole.length - 1, `${whole.length}`), 202)
      const settled = await settledUpload(live, upload.id)
      assert.deepInclude(settled, {
        status: "succeeded",
        rows: 5_000,
        bytes: whole.length,
        received_bytes: whole.length,
        sha256: sha256(whole)
      })
    })

    it("after a break the content may be sent whole again, other content even", async () => {
      const { live } = await house.workspace()
      const upload = await announce(live, { bytes: content.length, sha256: sha256(content) })
      expectStatus(await sendContent(anybody(), upload, "other", { "content-range": "bytes 0-4/1000" }), 202)
      expectStatus(await sendContent(anybody(), upload, content), 202)
      assert.deepInclude(await settledUpload(live, upload.id), { status: "succeeded", rows: 3 })
    })

    it("a range that is none is refused, and so is a body longer than its range", async () => {
      const { live } = await house.workspace()
      const upload = await announce(live)
      for (const range of ["", "bytes 1-0/5", "bytes 0-4/4", "bytes */5", "bytes=0-4", "items 0-4/5", "bytes 0-a/5"]) {
        assertInvalid(await sendContent(anybody(), upload, "hello", { "content-range": range }), "Content-Range")
      }
      const longer = await sendContent(anybody(), upload, "hello!", { "content-range": "bytes 0-4/5" })
      assertInvalid(longer, "Content-Range")
      const huge = await sendContent(anybody(), upload, "hello", { "content-range": `bytes 0-4/${5 * 1024 ** 3 + 1}` })
      assertRefused(huge, 413, "invalid_request_error")
      for (const [caller, path, status] of [
        [anybody(), `${uploads}/${upload.id}/content`, 401],
        [anybody(), `${uploads}/${upload.id}/content?capability=no`, 404],
        [live, `${uploads}/${upload.id}/content`, 200]
      ] as const) {
        assert.strictEqual((await caller.send("HEAD", path)).status, status)
      }
    })

    it("content that comes after a day is gone", async () => {
      const { live } = await house.workspace()
      const upload = await announce(live)
      house.passTime(24 * 3_600_000)
      assertRefused(await sendContent(anybody(), upload, content), 410, "gone")
      assert.deepInclude((await live.get<UploadView>(`${uploads}/${upload.id}`)).body, {
        status: "expired",
        upload_url: null
      })
    })

    it("content larger than a control-plane body streams through", async () => {
      const { live } = await house.workspace()
      const line = linesOf([{ messages: [{ role: "user", content: "x".repeat(10_000) }], completion: "y" }])
      const stream = new Blob(Array.from({ length: 500 }, () => line)).stream()
      assert.deepInclude(await settledAfter(live, stream), { status: "succeeded", rows: 500 })
    })
  },
  { alsoInFolder: true }
)
