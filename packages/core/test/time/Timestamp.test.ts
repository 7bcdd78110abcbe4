import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { fromIso, toIso, toIsoOrNull } from "../../src/time/Timestamp.ts"

describe("a timestamp", () => {
  const read: ReadonlyArray<readonly [text: string, millis: number]> = [
    ["1970-01-01T00:00:00.000Z", 0],
    ["1970-01-01", 0],
    ["2026-11-20T10:00:00.000Z", 1_795_168_800_000],
    ["2026-11-20T10:00:00Z", 1_795_168_800_000],
    ["2026-11-20T10:00Z", 1_795_168_800_000],
    ["2026-11-20T12:00:00+02:00", 1_795_168_800_000],
    ["2026-11-20T04:30:00-05:30", 1_795_168_800_000],
    ["2026-11-20T10:00:00.5Z", 1_795_168_800_500],
    ["2026-11-20T10:00:00.123456789Z", 1_795_168_800_123],
    ["2026-11-20", 1_795_132_800_000],
    ["2028-02-29T00:00:00Z", 1_835_395_200_000],
    ["1969-12-31T23:59:59.999Z", -1]
  ]
  for (const [text, millis] of read) {
    it(`is read from ${text}`, () => {
      assert.strictEqual(fromIso(text), millis)
    })
  }

  const refused = [
    "",
    "now",
    "0",
    "1795168800000",
    "2026",
    "2026-11",
    "2026-11-20T10:00:00",
    "2026-11-20 10:00:00Z",
    "2026-11-20T10:00:00z",
    "2026-11-20T10Z",
    "2026-11-20T10:00:00.Z",
    "2026-11-20T10:00:00+0200",
    "2026-11-20T10:00:00 +02:00",
    "2026-11-20T10:00:00,5Z",
    "2026-13-01",
    "2026-00-10",
    "2026-11-00",
    "2026-11-31",
    "2026-02-29",
    "2026-02-30T00:00:00Z",
    "2100-02-29",
    "2026-11-20T25:00:00Z",
    "2026-11-20T10:60:00Z",
    "2026-11-20T10:00:60Z",
    "2026-11-20T10:00:00+24:00",
    "+2026-11-20",
    "-2026-11-20",
    "12026-11-20",
    "20261120",
    "2026-W47-5",
    "Fri, 20 Nov 2026 10:00:00 GMT",
    " 2026-11-20",
    "2026-11-20\n"
  ]
  it("is not read from anything else", () => {
    for (const text of refused) assert.isUndefined(fromIso(text), JSON.stringify(text))
  })

  const years1970to9999 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 }))
  it.prop("is written in UTC with milliseconds, and read as it was", [years1970to9999], ([at]) => {
    assert.match(toIso(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.strictEqual(fromIso(toIso(at)), at)
  })

  it("that is not there stays away", () => {
    assert.isNull(toIsoOrNull(null))
    assert.strictEqual(toIsoOrNull(0), "1970-01-01T00:00:00.000Z")
  })
})
