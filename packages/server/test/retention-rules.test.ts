/** The list of rules and the table of docs/retention.md name the same. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as RetentionRules from "../src/internal/RetentionRules.ts"
import { type GivenSettings, ServerSettings, layer as settings } from "../src/Settings.ts"

const page = readFileSync(new URL("../../../docs/retention.md", import.meta.url), "utf8")

/** The rows of the first table: what is removed, and the setting. */
const rows = page
  .split("## Leftovers")[0]!
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => {
    const [, what = "", , setting = ""] = line.split("|").map((cell) => cell.trim())
    return { name: what, setting: /`(\w+)`/.exec(setting)?.[1] ?? null }
  })

const rulesOf = (given: GivenSettings) =>
  Effect.map(RetentionRules.all, (rules) => rules.map(({ name, setting }) => ({ name, setting }))).pipe(
    Effect.provide([StorageMemory.layer, settings(given)])
  )

describe("rules of retention", () => {
  it.effect("are the rows of docs/retention.md, each with its setting (P106)", () =>
    Effect.gen(function* () {
      const rules = yield* rulesOf({
        callHistoryDays: 1,
        conversationHistoryDays: 1,
        eventHistoryDays: 1,
        uploadRetentionDays: 1
      })
      assert.deepStrictEqual(rules, rows)
    })
  )

  it("name every setting that says how long something is kept", () => {
    const kept = Object.keys(ServerSettings.defaultValue()).filter((name) => /(?:History|Retention)Days$/.test(name))
    assert.isNotEmpty(kept)
    for (const name of kept)
      assert.include(
        rows.map(({ setting }) => setting),
        name
      )
  })

  it.effect("leave out what is kept for ever", () =>
    Effect.gen(function* () {
      const names = (yield* rulesOf({ rateLimit: null })).map(({ name }) => name)
      for (const name of ["captured calls", "conversations", "events"]) assert.notInclude(names, name)
      assert.include(names, "deliveries")
    })
  )
})
