import { assert, describe, it } from "@effect/vitest"
import { SftConfig } from "@limbeck/distill/recipe/Recipe"
import * as Schema from "effect/Schema"

const isConfig = Schema.is(SftConfig)

describe("the settings of an adapter", () => {
  it.each([
    [{ lora_alpha: 1 }, { lora_alpha: 0 }],
    [{ lora_alpha: 4096 }, { lora_alpha: 4097 }],
    [{ lora_dropout: 0 }, { lora_dropout: -0.1 }],
    [{ lora_dropout: 0.9 }, { lora_dropout: 0.91 }],
    [{ target_modules: ["q_proj", "mlp.up_proj"] }, { target_modules: ["q proj"] }],
    [{ target_modules: Array(64).fill("o_proj") }, { target_modules: Array(65).fill("o_proj") }],
    [{ target_modules: ["q_proj"] }, { target_modules: [] }],
    [{ quantization: "4bit" }, { quantization: "2bit" }]
  ])("a recipe takes %j and rejects %j (P1525)", (valid, invalid) => {
    assert.isTrue(isConfig(valid))
    assert.isFalse(isConfig(invalid))
  })
})
