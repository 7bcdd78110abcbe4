import { assert, describe, it } from "@effect/vitest"
import * as ThreadOptions from "../src/internal/ThreadOptions.ts"

describe("ThreadOptions", () => {
  it("hand over no variable of the host's but where Node keeps compiled code", ({ onTestFinished }) => {
    const environment = process.env
    onTestFinished(() => {
      process.env = environment
    })
    const { NODE_COMPILE_CACHE: _, ...others } = environment
    assert.isNotEmpty(others)
    process.env = others
    assert.deepStrictEqual(ThreadOptions.make().env, {})
    process.env = { ...others, NODE_COMPILE_CACHE: "/compiled" }
    assert.deepStrictEqual(ThreadOptions.make().env, { NODE_COMPILE_CACHE: "/compiled" })
  })
})
