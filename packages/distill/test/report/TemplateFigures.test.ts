import { assert, describe, it } from "@effect/vitest"
import * as TemplateFigures from "../../src/report/TemplateFigures.ts"

const [first, second] = [`tpl_${"0".repeat(26)}`, `tpl_${"1".repeat(26)}`]

const answers = (count: number, template: string | undefined, agrees: boolean, confidence: number | null) =>
  Array.from({ length: count }, () => ({ ...(template === undefined ? {} : { template }), agrees, confidence }))

describe("the figures of a student's prompts", () => {
  it("have the agreement on the rows of each prompt, and the threshold that reaches 98 % (P1336)", () => {
    const { templates } = TemplateFigures.of([
      ...answers(60, second, true, 0.8),
      ...answers(20, second, false, 0.8),
      ...answers(300, first, true, 0.9),
      ...answers(100, first, false, 0.4),
      ...answers(9, undefined, false, 0.4)
    ])
    assert.deepStrictEqual(
      templates?.map(({ agreement, id, threshold }) => [id, threshold, agreement.value]),
      [
        [first, 0.9, 0.75],
        [second, null, 0.75]
      ]
    )
    const [one] = templates ?? []
    assert.isBelow(one!.agreement.low, 0.75)
    assert.isAbove(one!.agreement.high, 0.75)
  })

  it("are none without prompts, or confidence for a threshold (P1336)", () => {
    assert.deepStrictEqual(TemplateFigures.of(answers(50, undefined, true, 0.9)), {})
    assert.isNull(TemplateFigures.of(answers(300, first, true, null)).templates?.[0]?.threshold)
  })
})
