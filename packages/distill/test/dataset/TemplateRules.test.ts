import { assert, describe, it } from "@effect/vitest"
import { fold, instructionOf } from "@limbeck/distill/dataset/TemplateRules"

const prompt = "Classify the ticket of 2026-11-28 into one of 3 labels: billing, delivery."

describe("the template of a prompt", () => {
  it("is the same after a change of case, white space, punctuation and numbers (P1334)", () => {
    for (const other of [
      "classify the ticket of 2027-01-02 into one of 12 labels; billing, delivery",
      "  Classify the ticket\n\nof 28.11.2026, into one of 3 labels: BILLING - DELIVERY!"
    ]) {
      assert.strictEqual(fold(other), fold(prompt))
    }
  })

  it("is another one with other words, labels or a number that is missing (P1334)", () => {
    for (const other of [
      prompt.replace("delivery", "parcels"),
      `${prompt} Answer in French.`,
      prompt.replace(" of 2026-11-28", ""),
      ""
    ]) {
      assert.notStrictEqual(fold(other), fold(prompt))
    }
  })

  it("is of the system messages, and not of the request (P1334)", () => {
    const user = { role: "user", content: "Where is my parcel?" }
    assert.strictEqual(instructionOf([user]), "")
    const said = [
      { role: "system", content: "Be brief." },
      user,
      { role: "developer", content: [{ type: "text", text: "Two labels." }] }
    ]
    assert.strictEqual(instructionOf(said), "Be brief.\nTwo labels.")
  })
})
