/** `EXECUTOR=stub`: who trains language models when somebody tries things out (contract 13). */
import { assert, describe, it } from "@effect/vitest"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { Api, type Run } from "./Api.ts"
import { liveToken, quiet, Server } from "./Server.ts"

interface Plan {
  readonly recipe: object
}

interface LiveRun extends Run {
  readonly executor: string
}

describe("a server with EXECUTOR=stub", { timeout: 2 * patienceMillis }, () => {
  it("makes language models of nothing and says so, and trains builtin students all the same", async ({
    onTestFinished
  }) => {
    const server = await new Server(onTestFinished, { ...quiet, STORAGE: "memory", EXECUTOR: "stub" }).start()
    const api = new Api(server, liveToken)
    // A plan is an object with a recipe; `Api.plan` makes it.
    const plan = (await api.plan()) as Plan
    const students = ["Qwen/Qwen3-0.6B", "builtin/text-classifier"]
    const created = await Promise.all(
      students.map((student_model) =>
        api.create<LiveRun>("/v1/distill/runs", { ...plan, recipe: { ...plan.recipe, student_model }, dry_run: false })
      )
    )
    assert.deepStrictEqual(
      created.map(({ executor }) => executor),
      ["stub", "builtin"]
    )
    const [stubbed, trained] = await api.whenOver(created)
    assert.deepStrictEqual([stubbed?.status, trained?.status], ["succeeded", "succeeded"])
    const summaries = await Promise.all(
      [stubbed, trained].map((run) => api.get<{ summary: string }>(`/v1/distill/reports/${run?.report}`))
    )
    assert.match(summaries[0]?.summary ?? "", /Nothing was trained/)
    assert.match(summaries[1]?.summary ?? "", /says the same as the teacher/)
  })
})
