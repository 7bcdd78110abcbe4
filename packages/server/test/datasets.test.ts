/** Datasets and their immutable versions (contract 6, 14.20). */
import { assert, it } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import { announce, linesOf, row, uploadOf, versionOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type Version = typeof DatasetVersion.Type
type ShownRow = Readonly<Record<string, unknown>>

const datasets = "/v1/distill/datasets"
const versions = "/v1/distill/dataset_versions"
const rows = Array.from({ length: 100 }, (_, index) => row(index))

const rowsOf = async (caller: Client, id: string, query = "") =>
  expectStatus(await caller.get<ListOf<ShownRow>>(`${versions}/${id}/rows?limit=100${query}`), 200).data

const promptsOf = (shown: ReadonlyArray<ShownRow>) => shown.map(({ messages }) => JSON.stringify(messages)).toSorted()

onEachStorage("datasets", (house) => {
  it("a dataset says all about itself", async () => {
    const { live } = await house.workspace()
    const { id: loop } = expectStatus(await live.post<{ readonly id: string }>("/v1/distill/loops", { name: "a" }), 201)
    const body = { name: "tickets", description: "of last year", loop }
    const dataset = expectStatus(await live.post<typeof Dataset.Type>(datasets, body), 201)
    assert.match(dataset.id, /^ds_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(dataset, { object: "dataset", livemode: true, ...body })
    assert.deepStrictEqual(expectStatus(await live.get<typeof Dataset.Type>(`${datasets}/${dataset.id}`), 200), dataset)
    const plain = expectStatus(await live.post<typeof Dataset.Type>(datasets, { name: "plain" }), 201)
    assert.deepInclude(plain, { description: null, loop: null })
  })

  it("what is wrong with a dataset is named", async () => {
    const { live } = await house.workspace()
    for (const body of [{}, { name: "" }, { name: 1 }]) assertInvalid(await live.post(datasets, body), "name")
    assertInvalid(await live.post(datasets, { name: "a", descripton: "b" }), "descripton")
    assertInvalid(await live.post(datasets, { name: "a", description: 1 }), "description")
  })

  it("what is wrong with a version is named", async () => {
    const { live } = await house.workspace()
    const { id: upload } = await uploadOf(live, linesOf(rows))
    const { id } = expectStatus(await live.post<typeof Dataset.Type>(datasets, { name: "a" }), 201)
    const path = `${datasets}/${id}/versions`
    const from = { upload }
    const cases = [
      [{}, "from"],
      [{ from: {} }, "from"],
      [{ from: { uplod: upload } }, "from.uplod"],
      [{ from, holdout_fraction: 0.51 }, "holdout_fraction"],
      [{ from, holdout_fraction: -0.1 }, "holdout_fraction"],
      [{ from, holdout_fraction: "0.1" }, "holdout_fraction"],
      [{ from, dedupe: "fuzzy" }, "dedupe"],
      [{ from, seed: 1.5 }, "seed"],
      [{ from, sed: 1 }, "sed"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await live.post(path, body), param)
    assertRefused(await live.post(`${datasets}/ds_none/versions`, { from }), 404, "not_found_error")
    const unknown = await live.post<{ readonly error: { readonly code: string } }>(path, {
      from: { upload: "upl_none" }
    })
    assert.include([400, 404], unknown.status)
    const { id: waiting } = await announce(live)
    const { status } = await live.post(path, { from: { upload: waiting } })
    assert.strictEqual(status, 409)
  })

  it("a version is built after the answer, and counts what it holds", async () => {
    const { live } = await house.workspace()
    const version = await versionOf(live, [...rows, row(0), row(1)])
    assert.match(version.id, /^dsv_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(version, {
      object: "dataset_version",
      livemode: true,
      status: "ready",
      holdout_fraction: 0.1,
      dedupe: "exact",
      rows: 100
    })
    assert.deepStrictEqual(version.dropped, { duplicates: 2, invalid: 0, redactions: 0, unsupported: 0, suspects: 0 })
    assert.strictEqual(version.train_rows + version.holdout_rows, 100)
    assert.isAbove(version.tokens, 0)
    assert.match(version.content_sha256 ?? "", /^[0-9a-f]{64}$/)
    const path = `${datasets}/${version.dataset}/versions`
    assert.deepStrictEqual((await live.get<ListOf<Version>>(path)).body.data, [version])
  })

  it("rows are the upload's, plus their split", async () => {
    const { live } = await house.workspace()
    const full = { ...row(1), tags: ["a"], external_id: "x", metadata: { b: { c: 1 } } }
    const { id } = await versionOf(live, [full], { holdout_fraction: 0 })
    assert.deepStrictEqual(await rowsOf(live, id), [{ ...full, split: "train" }])
    assert.deepStrictEqual(await rowsOf(live, id, "&split=holdout"), [])
  })

  it("a row stays on its side from version to version, whatever comes beside it", async () => {
    const { live } = await house.workspace()
    const [small, large] = [await versionOf(live, rows.slice(0, 50)), await versionOf(live, rows.toReversed())]
    const [before, after] = [
      await rowsOf(live, small.id, "&split=holdout"),
      await rowsOf(live, large.id, "&split=holdout")
    ]
    const kept = new Set(promptsOf(after))
    assert.isTrue(promptsOf(before).every((prompt) => kept.has(prompt)))
    const train = await rowsOf(live, large.id, "&split=train")
    assert.deepStrictEqual([train.length, after.length], [large.train_rows, large.holdout_rows])
    const other = await versionOf(live, rows, { seed: 7 })
    assert.notDeepEqual(promptsOf(await rowsOf(live, other.id, "&split=holdout")), promptsOf(after))
  })

  it("the same rows have the same digest, and other rows another", async () => {
    const { live, test } = await house.workspace()
    const [one, again, fewer] = [
      await versionOf(live, rows),
      await versionOf(test, rows),
      await versionOf(live, rows.slice(1))
    ]
    assert.strictEqual(one.content_sha256, again.content_sha256)
    assert.notStrictEqual(one.content_sha256, fewer.content_sha256)
  })

  it("duplicates stay where they are asked to", async () => {
    const { live } = await house.workspace()
    const version = await versionOf(live, [row(1), row(1)], { dedupe: "none" })
    assert.deepStrictEqual([version.rows, version.dropped.duplicates], [2, 0])
  })

  it("the export is the upload's format, line by line, and can be uploaded again", async () => {
    const { live } = await house.workspace()
    const version = await versionOf(live, rows)
    const whole = await live.get<string>(`${versions}/${version.id}/export`)
    assert.strictEqual(whole.headers.get("content-type")?.split(";")[0], "application/x-ndjson")
    const lines = whole.text.trimEnd().split("\n")
    assert.deepStrictEqual(
      lines.map((line) => JSON.stringify(JSON.parse(line))).toSorted(),
      rows.map((one) => JSON.stringify(one)).toSorted()
    )
    const holdout = await live.get<string>(`${versions}/${version.id}/export?split=holdout`)
    assert.strictEqual(holdout.text.split("\n").length - 1, version.holdout_rows)
    assert.strictEqual(
      (
        await versionOf(
          live,
          lines.map((line) => JSON.parse(line))
        )
      ).content_sha256,
      version.content_sha256
    )
    assertInvalid(await live.get(`${versions}/${version.id}/export?split=all`), "split")
  })

  it("what is to be redacted is gone from every row, before duplicates are dropped, and counted", async () => {
    const { live } = await house.workspace()
    const about = (who: string, external: number) => ({
      messages: [{ role: "user", content: `Write to ${who}, call +1 415 555 0100` }],
      completion: "Card 4242 4242 4242 4242, key sk-abcdefghij0123456789",
      metadata: { mail: "kept@example.com", external }
    })
    const rows = [about("ann@example.com", 1), about("bob@example.com", 1), about("bob@example.com", 2)]
    const redact = ["email", "phone", "credit_card", "api_key"] as const
    const version = await versionOf(live, rows, { redact, holdout_fraction: 0 })
    assert.deepInclude(version, { status: "ready", rows: 2, near_duplicates: 1, redact })
    assert.deepStrictEqual(version.dropped, { duplicates: 1, invalid: 0, redactions: 8, unsupported: 0, suspects: 0 })
    const shown = await rowsOf(live, version.id)
    assert.deepStrictEqual(
      shown.map(({ completion, messages }) => ({ completion, messages })),
      Array.from({ length: 2 }, () => ({
        messages: [{ role: "user", content: "Write to [EMAIL], call [PHONE]" }],
        completion: "Card [CREDIT_CARD], key [API_KEY]"
      }))
    )
    assert.deepInclude(shown[0], { metadata: { mail: "kept@example.com", external: 1 } })
    const plain = await versionOf(live, rows, { holdout_fraction: 0 })
    assert.deepInclude(plain, { rows: 3, redact: [] })
    assert.strictEqual(plain.dropped.redactions, 0)
    const path = `${datasets}/${version.dataset}/versions`
    for (const [wrong, param] of [
      [["emails"], "redact[0]"],
      ["email", "redact"]
    ] as const) {
      assertInvalid(await live.post(path, { from: version.from, redact: wrong }), param)
    }
  })

  it("near-duplicates are counted, and lie on one side of the split (P24)", async () => {
    const { live } = await house.workspace()
    const near = (index: number) =>
      [`What about ticket ${index}?`, `what  about TICKET ${index}`, `"What about: ticket ${index}!"`].map(
        (text, which) => ({ messages: [{ role: "user", content: text }], completion: `${which}` })
      )
    const rows = Array.from({ length: 100 }, (_, index) => near(index)).flat()
    const version = await versionOf(live, rows, { holdout_fraction: 0.5 })
    assert.deepInclude(version, { rows: 300, near_duplicates: 200 })
    const holdout = expectStatus(await live.get<string>(`${versions}/${version.id}/export?split=holdout`), 200).match(
      /ticket \d+/gi
    )
    const tickets = Map.groupBy(holdout ?? [], (text) => text.toLowerCase())
    for (const [ticket, { length }] of tickets) assert.strictEqual(length, 3, ticket)
    assert.closeTo(tickets.size, 50, 25)
  })

  it("an unknown dataset or version is a 404", async () => {
    const { live } = await house.workspace()
    for (const path of ["datasets/ds_none", "datasets/ds_none/versions", "dataset_versions/dsv_none"]) {
      assertRefused(await live.get(`/v1/distill/${path}`), 404, "not_found_error")
    }
    for (const path of ["rows", "export"])
      assertRefused(await live.get(`${versions}/dsv_none/${path}`), 404, "not_found_error")
  })
})
