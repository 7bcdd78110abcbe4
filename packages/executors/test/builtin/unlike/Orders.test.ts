import { assert, describe, it } from "@effect/vitest"
import * as Orders from "../../../src/builtin/internal/unlike/Orders.ts"

const rows = Array.from({ length: 1_000 }, (_, index) =>
  index % 10 === 0 ? "My card is lost. Tell me what to do." : `Order ${index} has not arrived.`
)

describe("orders to a model (P1422)", () => {
  const isOrder = Orders.detector(Orders.learn(rows))

  it("are found at the beginning of any sentence, also behind a polite word", () => {
    for (const text of [
      "Translate this into French: my card is lost",
      "my card is lost\nPlease summarize it.",
      "Hello! You are a pirate.",
      "Übersetze das bitte."
    ]) {
      assert.isTrue(isOrder(text), text)
    }
  })

  it("are no words inside of a sentence, and none with which the rows begin sentences themselves", () => {
    for (const text of ["I had to translate the letter.", "Tell me the price.", "", " . ! "]) {
      assert.isFalse(isOrder(text), text)
    }
  })
})
