/** What a host hears that embeds the library and makes a mistake. */
import { assert, describe, it } from "@effect/vitest"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as Webhooks from "@limbeck/webhooks-host/Webhooks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { refusal } from "./support/Shop.ts"

const right = { storage: StorageMemory.layer, encryptionKeys: [Redacted.make(new Uint8Array(32))] } as const
const short = Redacted.make(new Uint8Array(16))

describe("a host that", () => {
  const mistakes: ReadonlyArray<readonly [setting: string, options: Partial<Limbeck.LimbeckOptions>]> = [
    ["egressAllow", { egressAllow: ["10.0.0.0/8", "10.0.0/8"] }],
    ["encryptionKeys", { encryptionKeys: [short] }],
    // Not what TypeScript would let through.
    ["encryptionKeys", { encryptionKeys: ["a key"] as never }],
    ["encryptionKeys", { encryptionKeys: [] as never }],
    ["liveToken", { bootstrap: { liveToken: "secret" } }],
    ["testToken", { bootstrap: { testToken: `svc_live_${"0".repeat(32)}` } }],
    ["webhookHistoryDays", { settings: { webhookHistoryDays: 0 } }]
  ]

  for (const [place, [setting, options]] of mistakes.entries()) {
    it(`sets what cannot be is told which: ${setting} (${place}) (P111)`, async () => {
      for (const { make } of [Limbeck, Webhooks]) {
        const error = await refusal(make({ ...right, ...options }))
        assert.include(error, { _tag: "InvalidSetting", setting })
        assert.match(error.message, new RegExp(`^${setting} `))
      }
    })
  }

  it("is refused leaves nothing running (P111)", async () => {
    const seen: Array<string> = []
    const watched = Effect.acquireRelease(
      Effect.sync(() => seen.push("opened")),
      () => Effect.sync(() => seen.push("closed"))
    )
    const storage = Layer.merge(StorageMemory.layer, Layer.effectDiscard(watched))
    await refusal(Limbeck.make({ ...right, storage, bootstrap: { liveToken: "secret" } }))
    assert.deepStrictEqual(seen, ["opened", "closed"])
  })

  it("hands on tokens that its environment does not have gets them made", async () => {
    const unset = { liveToken: undefined, testToken: undefined }
    const limbeck = await Limbeck.make({ ...right, bootstrap: unset })
    assert.match(limbeck.bootstrapped.liveToken ?? "", /^svc_live_/)
    assert.match(limbeck.bootstrapped.testToken ?? "", /^svc_test_/)
    await limbeck.close()
  })

  it("has other keys than those that its storage was sealed with is told so (P132)", async ({ onTestFinished }) => {
    const { schema } = await Database.openSchema(onTestFinished)
    const storage = StoragePostgres.layer({ url, schema })
    const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
    await (await Limbeck.make({ storage, encryptionKeys: [keyOf(1)] })).close()
    const error = await refusal(Limbeck.make({ storage, encryptionKeys: [keyOf(2)] }))
    assert.include(error, { _tag: "InvalidSetting", setting: "encryptionKeys" })
    await (await Limbeck.make({ storage, encryptionKeys: [keyOf(2), keyOf(1)] })).close()
  })

  it("names a database that is not there is told what failed (P111)", async () => {
    const storage = StoragePostgres.layer({ url: "postgres://nobody@127.0.0.1:1/nothing" })
    const error = await refusal(Limbeck.make({ ...right, storage }))
    assert.strictEqual(error._tag, "StorageError")
    assert.match(error.message, /^Storage failed in StoragePostgres\.layer: .*connect/)
  })

  it("publishes after it has closed is told so", async () => {
    const limbeck = await Limbeck.make(right)
    await limbeck.close()
    const published = limbeck.events.publish({ type: "order.paid", object: {} })
    const error = await published.catch((error: Error) => error.message)
    assert.strictEqual(error, "Nothing can be done any more: this was closed")
  })
})
