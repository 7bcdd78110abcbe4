/** A hundred nasty rows by the whole way: upload, version, rows, export (contract 6, 14.13, 14.20). */
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import { announce, readUntil, sendContent, settledUpload, uploadOf } from "@limbeck/testing/http/Steps"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { nastyLines, nastyRows } from "./support/NastyRows.ts"

type Version = typeof DatasetVersion.Type
type RowView = Readonly<Record<string, unknown>>

const content = nastyRows.map(({ line }) => `${line}\n`).join("")

const built = async (caller: Client, upload: string, fields = {}) => {
  const { id } = expectStatus(await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "nasty" }), 201)
  const path = `/v1/distill/datasets/${id}/versions`
  const made = expectStatus(await caller.post<Version>(path, { from: { upload }, ...fields }), 201)
  return readUntil(
    () => caller.get<Version>(`/v1/distill/dataset_versions/${made.id}`),
    ({ status }) => status !== "building"
  )
}

const rowsOf = async (caller: Client, version: string, cursor = ""): Promise<ReadonlyArray<RowView>> => {
  const page = expectStatus(
    await caller.get<ListOf<RowView>>(`/v1/distill/dataset_versions/${version}/rows?limit=40${cursor}`),
    200
  )
  return page.has_more ? [...page.data, ...(await rowsOf(caller, version, `&cursor=${page.next_cursor}`))] : page.data
}

const exportOf = async (caller: Client, version: string) =>
  (await caller.get<string>(`/v1/distill/dataset_versions/${version}/export`)).text.trimEnd().split("\n")

const sorted = (texts: ReadonlyArray<string>) => texts.toSorted()

onEachStorage("nasty rows", (house) => {
  it("are a hundred, no two alike", () => {
    const all = [...nastyRows, ...nastyLines].map(({ line }) => line)
    assert.isAtLeast(all.length, 100)
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("that are rows come back as they came, plain and packed, and their version is the same each time", async () => {
    const { live } = await house.workspace()
    const plain = await uploadOf(live, content)
    assert.deepInclude(plain, { status: "succeeded", rows: nastyRows.length, errors: [] })
    const announced = await announce(live)
    const members = [content.slice(0, 70_000), content.slice(70_000)].map((text) => gzipSync(text))
    expectStatus(await sendContent(live, announced, Buffer.concat(members)), 202)
    // A member may end within a character; each half was then encoded for itself.
    const packed = await settledUpload(live, announced.id)
    const versions = [await built(live, plain.id), await built(live, packed.id, { redact: [] })]
    for (const { error, status } of versions)
      assert.deepStrictEqual({ error, status }, { error: null, status: "ready" })
    const [version, again] = versions as [Version, Version]
    assert.strictEqual(version.content_sha256, again.content_sha256)
    assert.strictEqual(version.rows, nastyRows.length)
    assert.deepStrictEqual(sorted(await exportOf(live, version.id)), sorted(nastyRows.map(({ line }) => line.trim())))
    const shown = (await rowsOf(live, version.id)).map(({ split, ...row }) => JSON.stringify(row))
    assert.deepStrictEqual(sorted(shown), sorted(nastyRows.map(({ line }) => JSON.stringify(JSON.parse(line)))))
  })

  it("that are rows are still rows when they were redacted, and nothing was found in them", async () => {
    const { live } = await house.workspace()
    const { id } = await uploadOf(live, content)
    const redact = ["email", "phone", "credit_card", "api_key"] as const
    const version = await built(live, id, { redact })
    assert.deepInclude(version, { status: "ready", rows: nastyRows.length, redact })
    assert.strictEqual(version.dropped.redactions, 0)
  })

  it("that are none are named by their line, one by one, and say why", async () => {
    const { live } = await house.workspace()
    const upload = await uploadOf(live, nastyLines.map(({ line }) => `${line}\n`).join(""))
    assert.deepInclude(upload, { status: "failed", rows: null, error_count: nastyLines.length })
    for (const [index, { error, name }] of nastyLines.entries()) {
      const told = upload.errors[index]
      assert.strictEqual(told?.line, index + 1, name)
      assert.isTrue(told?.message.startsWith(error ?? ""), `${name}: ${told?.message}`)
      assert.isAtMost(told?.message.length ?? 0, 200, name)
    }
  })
})
