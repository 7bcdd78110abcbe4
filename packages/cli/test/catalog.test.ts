/** `CATALOG_FILE`: which students and compute profiles a server offers. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api } from "./Api.ts"
import { runHere } from "./InProcess.ts"
import { quiet, Server } from "./Server.ts"

const docs = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8")
const example = /<!-- example: catalog -->\s*```json\n([\s\S]+?)```/.exec(docs)?.[1] ?? ""

interface Listed<A> {
  readonly data: ReadonlyArray<A>
}

describe.concurrent("a catalog file", () => {
  it("names students, compute profiles and prices, as the docs say (P93)", async ({ onTestFinished }) => {
    const file = join(await temporaryFolder(onTestFinished), "catalog.json")
    writeFileSync(file, example)
    const api = new Api(await new Server(onTestFinished, { ...quiet, STORAGE: "memory", CATALOG_FILE: file }).start())
    const students = await api.call<Listed<{ readonly id: string }>>("GET", "/v1/distill/student_catalog")
    assert.deepStrictEqual(
      students.body.data.map(({ id }) => id),
      ["builtin/text-classifier", "builtin/embedding-classifier", "Qwen/Qwen3-1.7B", "org/Own-3B"]
    )
    const profiles = await api.call<Listed<{ readonly id: string; readonly price_per_gpu_second: number }>>(
      "GET",
      "/v1/distill/compute_profiles"
    )
    assert.deepStrictEqual(
      profiles.body.data.map(({ id, price_per_gpu_second: price }) => [id, price]),
      [
        ["local", 0.000_05],
        ["l4", 0.000_2],
        ["a10g", 0.000_28]
      ]
    )
  })

  it("that is wrong, no JSON, or not there ends the start with exit code 2 and one line (P93)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const contents = { wrong: '{"compute_profiles": [{"id": "own"}]}', broken: "{" }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content)
    await Promise.all(
      ["wrong", "broken", "none"].map(async (name) => {
        const { code, stderr, stdout } = await runHere({ STORAGE: "memory", CATALOG_FILE: join(folder, name) }, [
          "serve"
        ])
        assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1])
        assert.isTrue(stderr[0]?.startsWith(`CATALOG_FILE: ${join(folder, name)}: `), stderr[0])
      })
    )
  })
})
