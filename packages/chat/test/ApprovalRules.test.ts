/** Which versions an assistant makes without the person's press. */
import { assert, it } from "@effect/vitest"
import { needsPerson } from "../src/assistant/ApprovalRules.ts"

const createVersion = { method: "POST", name: "createDatasetVersion" } as const

it("an assistant's version that asks a teacher again waits for the person; others do not (P1578)", () => {
  const body = { from: { upload: "upl_01kaf3tn0e5v2b8w6xq4rj7mcd" } }
  for (const clean of ["report", "drop", undefined]) {
    assert.isFalse(needsPerson(createVersion, { body: { ...body, clean } }))
  }
  const relabel = { source: "host", model: "good", budget: { max_cost_usd: 1 } }
  assert.isTrue(needsPerson(createVersion, { body: { ...body, clean: "relabel", relabel } }))
})
