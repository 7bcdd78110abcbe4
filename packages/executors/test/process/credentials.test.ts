import * as fs from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { leaks } from "@limbeck/testing/fixtures/Credentials"
import * as Effect from "effect/Effect"
import { all, messages, world } from "./Trainings.ts"

describe("credentials that a trainer prints", () => {
  it.live("never leave the executor: in lines and in JSON, on both outputs, in any chunking (P51)", () =>
    Effect.gen(function* () {
      const { attempt, folder } = yield* world()
      const file = path.join(folder, "leaks")
      const lines = leaks.map(([line]) => line).filter((line) => !line.includes("\n"))
      fs.writeFileSync(file, lines.join("\n"))
      const { failure, said } = yield* attempt("sft", { behavior: "leak", leaks: file })
      // In the form that an API reader sees, without JSON escapes.
      const told = JSON.stringify({ said, failure: failure?.message }).replaceAll("\\", "")
      /** The surroundings of each visible credential. */
      const seen = leaks
        .flatMap(([, secret]) => secret.split("\n"))
        .map((secret) => told.indexOf(secret.replaceAll("\\", "")))
        .filter((at) => at >= 0)
        .map((at) => told.slice(Math.max(0, at - 60), at + 60))
      assert.deepStrictEqual(seen, [])
      assert.isAbove(messages(said).filter((message) => message.includes("[redacted]")).length, leaks.length)
      assert.isNotEmpty(all(said, "Metric"))
      assert.include(failure?.message, "[redacted]")
    })
  )

  it.live("never leave it either when they are broken over lines", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const text = "Authorization: Bearer\\n  wr4pped and more\\n"
      const logs = '{"type":"log","message":"Authorization: Bearer"}\\n{"type":"log","message":"wr4pped and more"}\\n'
      const { said } = yield* attempt("sft", { command: `printf '${text}'; printf '${text}' >&2; printf '${logs}'` })
      assert.notInclude(JSON.stringify(said), "wr4pped")
      assert.lengthOf(
        messages(said).filter((message) => message.trim() === "[redacted] and more"),
        3
      )
    })
  )

  it.live("and those of the server are not in its environment", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      process.env["DATABASE_URL"] = "postgres://somebody:hunter2@database/limbeck"
      const { said } = yield* attempt("sft", { command: "env >&2" })
      delete process.env["DATABASE_URL"]
      assert.isTrue(messages(said).some((message) => message.startsWith("PATH=")))
      assert.isFalse(messages(said).some((message) => message.startsWith("DATABASE_URL")))
    })
  )
})
