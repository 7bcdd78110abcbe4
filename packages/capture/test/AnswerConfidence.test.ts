/** The confidence that a chat completion tells. */
import { assert, describe, it } from "@effect/vitest"
import * as AnswerConfidence from "@limbeck/capture/source/AnswerConfidence"

const choice = (probabilities: ReadonlyArray<number>, index = 0) => ({
  index,
  message: { role: "assistant", content: "yes" },
  logprobs: { content: probabilities.map((p) => ({ token: "t", logprob: Math.log(p) })) }
})

const near = (found: AnswerConfidence.AnswerConfidence | null, value: number) => {
  assert.strictEqual(found?.from, "tokens")
  assert.approximately(found?.value ?? -1, value, 1e-12)
}

describe("AnswerConfidence", () => {
  it("is service.confidence before the tokens', and the geometric mean of their probabilities (P1140)", () => {
    const told = { service: { confidence: 0.25 }, choices: [choice([0.5])] }
    assert.deepStrictEqual(AnswerConfidence.of([told]), { value: 0.25, from: "service" })
    near(AnswerConfidence.of([{ choices: [choice([0.9, 0.4])] }]), 0.6)
    near(AnswerConfidence.of([{ choices: [choice([0.9], 0), choice([0.3], 1)] }]), 0.3)
  })

  it("is read from the chunks of a stream as from the whole answer (P1140)", () => {
    const chunk = (p: number) => ({ choices: [{ index: 0, delta: { content: "y" }, logprobs: choice([p]).logprobs }] })
    const first = { choices: [{ index: 0, delta: { role: "assistant" }, logprobs: null }] }
    const last = { choices: [], usage: {} }
    near(AnswerConfidence.of([first, chunk(0.9), chunk(0.4), last, undefined]), 0.6)
    assert.deepStrictEqual(AnswerConfidence.of([first, { choices: [], service: { confidence: 1 } }]), {
      value: 1,
      from: "service"
    })
  })

  it("is not known where a choice has no tokens, and of what is no completion (P1140)", () => {
    const silent = { index: 1, message: {}, logprobs: null }
    for (const answer of [
      undefined,
      null,
      [],
      "yes",
      {},
      { choices: [] },
      { choices: [silent] },
      { choices: [choice([0.9]), silent] },
      { choices: [null, 1] },
      { choices: [choice([])] },
      { service: { confidence: 1.2 } },
      { service: { confidence: "0.9" } }
    ]) {
      assert.isNull(AnswerConfidence.of([answer]), JSON.stringify(answer))
    }
  })

  it("is taken out again, and the rest stays (P1141)", () => {
    const whole = { id: "1", choices: [choice([0.9])], odd: { logprobs: 1 } }
    assert.deepStrictEqual(AnswerConfidence.stripLogprobs(whole), {
      id: "1",
      choices: [{ index: 0, message: { role: "assistant", content: "yes" }, logprobs: null }],
      odd: { logprobs: 1 }
    })
    const plain = { choices: [{ index: 0, text: "a" }] }
    assert.deepStrictEqual(AnswerConfidence.stripLogprobs(plain), plain)
    assert.strictEqual(AnswerConfidence.stripLogprobs("[DONE]"), "[DONE]")
  })
})
