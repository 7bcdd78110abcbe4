import { assert, describe, it } from "@effect/vitest"
import { Gunzip, layerPortable } from "@limbeck/distill/upload/Gunzip"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../src/Limits.ts"
import * as StudentArchive from "../../src/upload/internal/StudentArchive.ts"

describe("the archive of a student", () => {
  it.effect("that unpacks to more than it may is not read to its end, whatever it says of its files (P377)", () =>
    Effect.gen(function* () {
      let unpacked = 0
      const chunk = new Uint8Array(64 * 1024 ** 2)
      const zeros = Stream.fromEffectRepeat(
        Effect.sync(() => {
          unpacked += chunk.length
          return chunk
        })
      )
      const found = yield* StudentArchive.survey({ unpack: () => zeros }, Stream.empty, true)
      assert.match(found.errors[0]?.message ?? "", /when unpacked/)
      assert.isAtMost(unpacked, DistillLimits.studentBytesMax + chunk.length)
    })
  )

  it.effect("of one file is a GGUF, however small the pieces are that it comes in", () =>
    Effect.gen(function* () {
      const content = Stream.map(Stream.fromIterable("GGUF and more"), (character) =>
        new TextEncoder().encode(character)
      )
      assert.deepInclude(yield* StudentArchive.survey(yield* Gunzip, content, false), {
        artifact: "file",
        rows: null,
        errorCount: 0
      })
    }).pipe(Effect.provide(layerPortable))
  )
})
