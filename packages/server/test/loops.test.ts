/** Loops (contract 4): what ties data, runs and deployments together. */
import { assert, it } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Loop, LoopWithLatest } from "@limbeck/api/LoopsApi"
import {
  announce,
  createRun,
  dryRun,
  endedRun,
  freshKey,
  linesOf,
  readUntil,
  row,
  sendContent
} from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const path = "/v1/distill/loops"

const made = async (caller: Client, body: unknown = { name: "tickets" }) =>
  expectStatus(await caller.post<typeof Loop.Type>(path, body), 201)

const pageOf = async (caller: Client, id: string) =>
  expectStatus(await caller.get<typeof LoopWithLatest.Type>(`${path}/${id}`), 200)

const versionIn = async (caller: Client, loop: string) => {
  const upload = await announce(caller, { loop })
  expectStatus(await sendContent(caller, upload, linesOf(Array.from({ length: 20 }, (_, index) => row(index)))), 202)
  await readUntil(
    () => caller.get<{ readonly status: string }>(`/v1/distill/uploads/${upload.id}`),
    ({ status }) => status === "succeeded"
  )
  const dataset = expectStatus(
    await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "tickets", loop }),
    201
  )
  const { id } = expectStatus(
    await caller.post<typeof DatasetVersion.Type>(`/v1/distill/datasets/${dataset.id}/versions`, {
      from: { upload: upload.id }
    }),
    201
  )
  await readUntil(
    () => caller.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${id}`),
    ({ status }) => status === "ready"
  )
  return { upload: upload.id, version: id }
}

const nothing = { upload: null, dataset_version: null, run: null, report: null, deployment: null }

onEachStorage("loops", (house) => {
  it("a loop says all about itself, and is renamed", async () => {
    const { live, test } = await house.workspace()
    const loop = await made(live, { name: "tickets", description: "of support" })
    assert.match(loop.id, /^loop_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(loop, { object: "distill_loop", livemode: true, name: "tickets", description: "of support" })
    assert.deepStrictEqual(await pageOf(live, loop.id), { ...loop, latest: nothing })
    assert.isNull((await made(live)).description)
    house.passTime(5)
    const renamed = expectStatus(await live.patch<typeof Loop.Type>(`${path}/${loop.id}`, { name: "mail" }), 200)
    assert.deepInclude(renamed, { id: loop.id, name: "mail", description: "of support", created_at: loop.created_at })
    assert.isAbove(Date.parse(renamed.updated_at), Date.parse(loop.updated_at))
    const bare = expectStatus(await live.patch<typeof Loop.Type>(`${path}/${loop.id}`, { description: null }), 200)
    assert.deepInclude(bare, { name: "mail", description: null })
    for (const method of ["GET", "PATCH"]) {
      const body = method === "PATCH" ? { body: "{}", headers: { "content-type": "application/json" } } : {}
      assertRefused(await test.send(method, `${path}/${loop.id}`, body), 404, "not_found_error")
    }
  })

  it("are listed newest first; a body that breaks a rule is refused by its field", async () => {
    const { live } = await house.workspace()
    const ids = [(await made(live)).id, (await made(live)).id].toReversed()
    const listed = expectStatus(await live.get<ListOf<typeof Loop.Type>>(path), 200)
    assert.deepStrictEqual(
      listed.data.map(({ id }) => id),
      ids
    )
    assertInvalid(await live.post(path, {}), "name")
    assertInvalid(await live.post(path, { name: "" }), "name")
    assertInvalid(await live.post(path, { name: "a", description: 5 }), "description")
    assertInvalid(await live.post(path, { name: "a", goal: "b" }), "goal")
    assertInvalid(await live.patch(`${path}/${ids[0]}`, { id: "b" }), "id")
    assertRefused(await live.patch(`${path}/loop_none`, { name: "b" }), 404, "not_found_error")
  })

  it("one key makes one loop", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const [first, again] = [await live.post(path, { name: "a" }, key), await live.post(path, { name: "a" }, key)]
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(again.text, first.text)
  })

  it("a request that names an unknown loop is refused", async () => {
    const { live, test } = await house.workspace()
    const { id: foreign } = await made(test)
    const upload = { filename: "rows.jsonl", format: "chat_jsonl" }
    const { version } = await versionIn(live, (await made(live)).id)
    for (const loop of ["loop_1", "loop_00000000000000000000000000", foreign]) {
      assertRefused(
        await live.post("/v1/distill/uploads", { ...upload, loop }, freshKey()),
        404,
        "not_found_error",
        "loop"
      )
      assertRefused(await live.post("/v1/distill/datasets", { name: "a", loop }), 404, "not_found_error", "loop")
      assertRefused(await createRun(live, dryRun(version, { loop })), 404, "not_found_error", "loop")
    }
  })

  it("the page shows the latest of all that belongs to the loop", async () => {
    const { live } = await house.workspace()
    const { id: loop } = await made(live)
    const other = (await made(live)).id
    await versionIn(live, loop)
    const { upload, version } = await versionIn(live, loop)
    const before = (await pageOf(live, loop)).latest
    assert.deepInclude(before.upload, { id: upload, status: "succeeded" })
    assert.deepInclude(before.dataset_version, { id: version, status: "ready" })
    assert.deepInclude(before, { run: null, report: null, deployment: null })

    const created = expectStatus(await createRun(live, dryRun(version)), 201)
    assert.strictEqual(created.loop, loop)
    const run = await endedRun(live, created.id)
    const { latest } = await pageOf(live, loop)
    assert.deepInclude(latest.run, { id: run.id, status: "succeeded", created_at: run.created_at })
    assert.deepInclude(latest.report, { id: run.report ?? "", status: "ready" })

    const moved = expectStatus(await createRun(live, dryRun(version, { loop: other })), 201)
    assert.strictEqual(moved.loop, other)
    assert.strictEqual((await pageOf(live, other)).latest.run?.id, moved.id)
    assert.strictEqual((await pageOf(live, loop)).latest.run?.id, run.id)
  })
})
