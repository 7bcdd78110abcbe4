/** People of a host, in process: let in, listed, signed in by the host's own login, and removed. */
import { assert, describe, it } from "@effect/vitest"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { refusal } from "./support/Shop.ts"

const publicUrl = "https://shop.example/limbeck"

const open = (storage: Layer.Layer<StoragePorts, StorageError>) =>
  Limbeck.make({
    storage,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null, publicUrl },
    workers: false
  })

/** A browser's responses with this cookie. */
const asking =
  (limbeck: Limbeck.Limbeck, headers: Readonly<Record<string, string>>) =>
  async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const request = new Request(`http://host.test${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...sent
    })
    const response = await limbeck.fetch(request)
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }

for (const [name, storageOf] of [
  ["memory", async () => StorageMemory.layer],
  ["Postgres", async (atEnd) => StoragePostgres.layer({ url: await freshDatabase(atEnd) })]
] as ReadonlyArray<readonly [string, (atEnd: AtEnd) => Promise<Layer.Layer<StoragePorts, StorageError>>]>) {
  describe(`people of a host, on ${name}`, () => {
    it("are signed in by the host itself, which sets the cookie (P287)", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const { workspace } = limbeck
      const ann = await limbeck.people.add({ name: "Ann", workspace, role: "owner" })
      assert.deepInclude(ann, { email: null, name: "Ann", roles: [{ workspace, role: "owner" }] })
      const { csrfToken, expiresAt, setCookie } = await limbeck.people.session(ann.id)
      assert.match(
        setCookie,
        /^__Host-service-session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/
      )
      const cookie = setCookie.split(";")[0] ?? ""
      const ask = asking(limbeck, { cookie, "x-csrf-token": csrfToken, "service-workspace": workspace })
      const shown = await ask("GET", "/v1/session")
      assert.deepStrictEqual([shown.status, shown.body.csrf_token, shown.body.person.id], [200, csrfToken, ann.id])
      assert.strictEqual(shown.body.expires_at, expiresAt)
      assert.strictEqual((await ask("POST", "/v1/workspaces", { name: "a" })).status, 201)
      const made = await ask("POST", "/v1/tokens", { name: "a", scopes: ["full_access"] })
      const kept = await ask("POST", "/v1/workspaces", { name: "b" })
      const byToken = async (token: string) =>
        (await asking(limbeck, { authorization: `Bearer ${token}` })("GET", "/v1/whoami")).status
      await limbeck.people.setRole(ann.id, kept.body.id, null, { tokens: "keep" })
      await limbeck.people.remove(ann.id)
      assert.strictEqual((await ask("GET", "/v1/session")).status, 401)
      assert.deepStrictEqual([await byToken(made.body.secret), await byToken(kept.body.live_token)], [401, 200])
      await limbeck.close()
    })

    it("get links to the pages of the server, whose secret is behind the # (P287)", async ({ onTestFinished }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const { workspace } = limbeck
      await limbeck.people.add({ email: "Bob@Example.com", workspace, role: "member" })
      const { url } = await limbeck.people.link("bob@EXAMPLE.com")
      assert.match(url, /^https:\/\/shop\.example\/limbeck\/#\/sign-in\/\w{54}$/)
      const link = new URL(url).hash.replace("#/sign-in/", "")
      const signedIn = await asking(limbeck, {})("POST", "/v1/sessions", { link })
      assert.strictEqual(signedIn.status, 201)
      assert.match(signedIn.headers.get("set-cookie") ?? "", /^__Host-service-session=/)
      await limbeck.close()
    })

    it("are found, listed by workspace, and given roles; what cannot be is refused (P287)", async ({
      onTestFinished
    }) => {
      const limbeck = await open(await storageOf(onTestFinished))
      const other = (await limbeck.workspaces.create({ name: "other" })).workspace.id
      const { workspace } = limbeck
      const bob = await limbeck.people.add({ email: "bob@example.com", name: "Bob", workspace, role: "member" })
      // Many who let the same person in at once let in one.
      const added = await Promise.all(
        Array.from({ length: 8 }, () =>
          limbeck.people.add({ email: "ann@example.com", workspace: other, role: "viewer" })
        )
      )
      const ids = new Set(added.map(({ id }) => id))
      assert.strictEqual(ids.size, 1)
      const listed = async (request?: { readonly workspace?: string }) =>
        (await limbeck.people.list(request)).people.map(({ id }) => id)
      assert.deepStrictEqual(await listed(), [...ids, bob.id])
      assert.deepStrictEqual(await listed({ workspace }), [bob.id])
      const both = await limbeck.people.setRole("bob@example.com", other, "owner")
      assert.deepStrictEqual(both.roles, [
        { workspace, role: "member" },
        { workspace: other, role: "owner" }
      ])
      assert.deepStrictEqual(await limbeck.people.find(bob.id), both)
      assert.deepStrictEqual((await limbeck.people.setRole(bob.id, workspace, null)).roles, [
        { workspace: other, role: "owner" }
      ])
      assert.deepStrictEqual(await listed({ workspace }), [])
      for (const [asked, tag] of [
        [() => limbeck.people.add({ email: "bob", workspace, role: "owner" }), "InvalidInput"],
        [() => limbeck.people.add({ workspace, role: "owner" }), "InvalidInput"],
        [() => limbeck.people.add({ name: "a", workspace: `ws_${"0".repeat(25)}9`, role: "owner" }), "NotFound"],
        [() => limbeck.people.find("nobody@example.com"), "NotFound"],
        [() => limbeck.people.link(`usr_${"0".repeat(26)}`), "NotFound"],
        [() => limbeck.people.session("nobody@example.com"), "NotFound"],
        [() => limbeck.people.remove("nobody@example.com"), "NotFound"]
      ] as const) {
        assert.strictEqual((await refusal(asked()))._tag, tag)
      }
      await limbeck.close()
    })
  })
}
