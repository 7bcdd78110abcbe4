/** Several workspaces in one server, made by the host in process: whole or not at all, and apart from each other. */
import { assert, describe, it } from "@effect/vitest"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { refusal } from "./support/Shop.ts"

const open = (storage: Layer.Layer<StoragePorts, StorageError>) =>
  Limbeck.make({
    storage,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null },
    workers: false
  })

/** What a workspace's token sees. */
const asking = (limbeck: Limbeck.Limbeck, token: string) => async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await limbeck.fetch(new Request(`http://host.test${path}`, { method, headers, ...sent }))
  return { status: response.status, body: JSON.parse(await response.text()) }
}

for (const [name, storageOf] of [
  ["memory", async () => StorageMemory.layer],
  ["Postgres", async (atEnd) => StoragePostgres.layer({ url: await freshDatabase(atEnd) })]
] as ReadonlyArray<
  readonly [string, (atEnd: Parameters<typeof freshDatabase>[0]) => Promise<Layer.Layer<StoragePorts, StorageError>>]
>) {
  describe(`workspaces of a host, on ${name}`, () => {
    it("are made with a token of each mode, and see nothing of each other (P163)", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const [one, two] = [
        await limbeck.workspaces.create({ name: "Acme" }),
        await limbeck.workspaces.create({ name: "Acme", plan: "pro" })
      ]
      assert.deepInclude(two.workspace, { name: "Acme", plan: "pro" })
      const [asOne, asTwo] = [asking(limbeck, one.liveToken), asking(limbeck, two.liveToken)]
      const made = await asOne("POST", "/v1/distill/loops", { name: "tickets" })
      assert.strictEqual(made.status, 201)
      assert.strictEqual((await asTwo("GET", `/v1/distill/loops/${made.body.id}`)).status, 404)
      assert.deepStrictEqual((await asTwo("GET", "/v1/distill/loops")).body.data, [])
      const whoami = (await asking(limbeck, one.testToken)("GET", "/v1/whoami")).body
      assert.deepInclude(whoami, { livemode: false })
      assert.deepStrictEqual(whoami.workspace, { id: one.workspace.id, name: "Acme", plan: "self_hosted" })
      await limbeck.close()
    })

    it("are listed with the first one, the newest first, page by page", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const made: Array<string> = []
      for (const index of Array(102).keys()) {
        made.push((await limbeck.workspaces.create({ name: `w${index}` })).workspace.id)
      }
      const first = await limbeck.workspaces.list()
      assert.deepStrictEqual([first.workspaces.length, first.hasMore], [100, true])
      const after = first.workspaces.at(-1)?.id ?? ""
      const rest = await limbeck.workspaces.list({ after })
      assert.isFalse(rest.hasMore)
      const listed = [...first.workspaces, ...rest.workspaces].map(({ id }) => id)
      assert.deepStrictEqual(listed, [limbeck.workspace, ...made].toReversed())
      await limbeck.close()
    })

    it("change their name and plan in process alone, by who may (P162)", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const { liveToken, workspace } = await limbeck.workspaces.create({ name: "Acme" })
      const update = (patch: { readonly name?: string; readonly plan?: string }, role?: Role) =>
        limbeck.workspaces.update(workspace.id, patch, role === undefined ? {} : { role })
      assert.deepInclude(await update({ plan: "pro" }), { name: "Acme", plan: "pro" })
      assert.deepInclude(await update({ name: "Acme Ltd" }, "member"), { name: "Acme Ltd", plan: "pro" })
      for (const [patch, role] of [
        [{ plan: "free" }, "member"],
        [{ plan: "free", name: "a" }, "member"],
        [{ name: "a" }, "viewer"]
      ] as const) {
        assert.strictEqual((await refusal(update(patch, role)))._tag, "PermissionDenied")
      }
      for (const role of ["member", "viewer"] as const) {
        const error = await refusal(limbeck.workspaces.create({ name: "a" }, { role }))
        assert.strictEqual(error._tag, "PermissionDenied")
      }
      const whoami = (await asking(limbeck, liveToken)("GET", "/v1/whoami")).body
      assert.deepInclude(whoami.workspace, { name: "Acme Ltd", plan: "pro" })
      assert.lengthOf((await limbeck.workspaces.list()).workspaces, 2)
      await limbeck.close()
    })

    it("that cannot be are refused, and leave nothing", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      for (const request of [{ name: " " }, { name: "a".repeat(201) }, { name: "a", plan: "Pro plan" }]) {
        assert.strictEqual((await refusal(limbeck.workspaces.create(request)))._tag, "InvalidInput")
      }
      const unknown = `ws_${"0".repeat(25)}9`
      assert.strictEqual((await refusal(limbeck.workspaces.update(unknown, { name: "a" })))._tag, "NotFound")
      assert.lengthOf((await limbeck.workspaces.list()).workspaces, 1)
      await limbeck.close()
    })
  })
}

describe("whoami", () => {
  it("shows a workspace as this server has changed it, and soon as another has (P232)", async ({ onTestFinished }) => {
    const storage = StoragePostgres.layer({ url: await freshDatabase(onTestFinished) })
    const [one, other] = [await open(storage), await open(storage)]
    const { liveToken, workspace } = await one.workspaces.create({ name: "a" })
    const seenBy = async (limbeck: Limbeck.Limbeck) =>
      (await asking(limbeck, liveToken)("GET", "/v1/whoami")).body.workspace.name
    assert.deepStrictEqual([await seenBy(one), await seenBy(other)], ["a", "a"])
    for (const name of ["b", "c", "d"]) {
      await one.workspaces.update(workspace.id, { name })
      assert.strictEqual(await seenBy(one), name)
      await eventually(`the name ${name}`, async () => (await seenBy(other)) === name)
    }
    await Promise.all([one.close(), other.close()])
  })
})

describe("the first workspace", () => {
  it("is found again by a start after it was given another name, and no token is made anew (P163)", async ({
    onTestFinished
  }) => {
    const storage = StoragePostgres.layer({ url: await freshDatabase(onTestFinished) })
    const before = await open(storage)
    const { liveToken } = before.bootstrapped
    const renamed = await asking(before, liveToken ?? "")("PATCH", "/v1/workspace", { name: "Acme" })
    assert.strictEqual(renamed.status, 200)
    await before.close()
    const after = await open(storage)
    assert.strictEqual(after.workspace, before.workspace)
    assert.deepInclude(after.bootstrapped, { liveToken: null, testToken: null })
    assert.lengthOf((await after.workspaces.list()).workspaces, 1)
    await after.close()
  })
})
