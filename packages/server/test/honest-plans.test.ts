/** A proposal's and a rehearsal's statements about a plan before any spending (contract 5; service-api 4.1). */
import { assert, it } from "@effect/vitest"
import type { Proposal } from "@limbeck/api/RecipesApi"
import type { Report } from "@limbeck/api/ReportsApi"
import type { RunLogs } from "@limbeck/api/RunsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, dryRun, endedRun, proposalOf, row, versionOf } from "@limbeck/testing/http/Steps"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

type Completion = (index: number, label: string) => unknown

const rowsWith = (count: number, completion: Completion) =>
  Array.from({ length: count }, (_, index) => {
    const own = row(index)
    return { ...own, completion: completion(index, own.completion) }
  })

/** The report of a live run of the proposal, and its training log. */
const lived = async (caller: Client, proposal: typeof Proposal.Type) => {
  const { dataset_version, plan_hash: _, rewards, stages, student_model } = proposal
  const plan = { ...planOf(dataset_version), recipe: { rewards, stages, student_model }, dry_run: false }
  const run = await endedRun(caller, expectStatus(await createRun(caller, plan), 201).id)
  assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
  const logs = expectStatus(await caller.get<typeof RunLogs.Type>(`/v1/distill/runs/${run.id}/logs?stage=2`), 200)
  const report = expectStatus(await caller.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
  return { report, said: logs.data.map(({ message }) => message).join("\n") }
}

const saidOf = ({ rationale }: typeof Proposal.Type) => rationale.join("\n")

onOneStorage(
  "a plan",
  (house) => {
    it("for messy labels is that for clean ones: other writings and a few odd answers are told (P200)", async () => {
      const { live } = await house.workspace()
      const refusal = `I'm sorry, but as a language model I cannot say. ${"Please ask somebody else. ".repeat(4)}`
      const messy: Completion = (index, label) => {
        if (index % 50 === 0) return index === 100 ? "" : refusal
        return index % 10 === 0 ? ` ${label.toUpperCase()}. ` : label
      }
      const { id } = await versionOf(live, rowsWith(300, messy), { holdout_fraction: 0.2 })
      const proposal = await proposalOf(live, id)
      assert.deepInclude(proposal, { case: "classification", student_model: "builtin/text-classifier" })
      assert.include(saidOf(proposal), "closed set of 3 labels")
      assert.include(saidOf(proposal), "3 other writings of labels")
      assert.include(saidOf(proposal), "6 rows have an odd completion")
      const { report, said } = await lived(live, proposal)
      assert.include(said, "Learns 3 labels")
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.9)
    })

    it("of a version that a builtin student cannot learn is a 400 that says why, and no outage of storage (P801)", async () => {
      const { live } = await house.workspace()
      const planFor = async (characters: number) => {
        const completion: Completion = (index) => `${index}:`.padEnd(characters, "x")
        return planOf((await versionOf(live, rowsWith(40, completion), { holdout_fraction: 0.2 })).id)
      }
      const refused = await createRun(live, await planFor(101))
      assertRefused(refused, 400, "invalid_request_error", "recipe.student_model")
      assert.include(refused.text, "at most 100 characters")
      expectStatus(await createRun(live, await planFor(100)), 201)
    })

    it("for a closed set written as JSON is classification, and the student answers the same JSON (P201)", async () => {
      const { live } = await house.workspace()
      const json: Completion = (index, label) => JSON.stringify({ label, urgent: index % 3 === 0 })
      const { id } = await versionOf(live, rowsWith(200, json), { holdout_fraction: 0.2 })
      const proposal = await proposalOf(live, id)
      assert.deepInclude(proposal, { case: "classification", student_model: "builtin/text-classifier" })
      assert.include(saidOf(proposal), "written as JSON")
      const { report } = await lived(live, proposal)
      assert.strictEqual(report.accuracy?.value, 1)
    })

    it("for dialogues that end with the same question reads what was asked before; what little the holdout says is told (P204, P208, P252)", async () => {
      const { live } = await house.workspace()
      const dialogues = rowsWith(200, (_, label) => label).map(({ completion, messages }) => ({
        messages: [
          ...messages,
          { role: "assistant", content: "I have read it." },
          { role: "user", content: "Which label is it? Say nothing else." }
        ],
        completion
      }))
      // Every fourth prompt was asked twice, and every eighth was answered otherwise then.
      const again = dialogues.filter((_, index) => index % 4 === 0)
      const otherwise = again.map((one, index) => (index % 2 === 0 ? one : { ...one, completion: "general" }))
      const fields = { holdout_fraction: 0.25, dedupe: "none" }
      const { id } = await versionOf(live, [...dialogues, ...otherwise], fields)
      const proposal = await proposalOf(live, id)
      assert.include(saidOf(proposal), "of memory to answer")
      const { report } = await lived(live, proposal)
      assert.isBelow(report.evaluated_rows, 100)
      assert.match(report.summary, /holdout rows say little: the agreement may be anything from/)
      assert.isAtLeast(report.accuracy?.value ?? 0, 0.8)
      const itself = report.advice?.teacher_itself
      assert.isTrue(itself != null && itself.prompts > 0 && itself.agreement < 1)
      assert.match(report.summary, /The teacher says the same as itself in/)
    })

    it("for requests that are too long to be read whole says that their middle is left out, in proposal, training and report (P357)", async () => {
      const { live } = await house.workspace()
      const long = rowsWith(24, (_, label) => label).map((own, index) => ({
        ...own,
        messages: [{ role: "user", content: `${own.messages.at(-1)?.content} ${`${index} words `.repeat(2_000)}` }]
      }))
      const { id } = await versionOf(live, long, { holdout_fraction: 0.3 })
      const proposal = await proposalOf(live, id)
      assert.match(saidOf(proposal), /\d+ of \d+ requests looked at are longer than is read.*their middle is left out/)
      const { report, said } = await lived(live, proposal)
      for (const told of [said, report.summary])
        assert.match(told, /\d+ requests .*too long: what is in their middle is not read/)
    })

    it("for single-label and multi-label data says that it is (P201)", async () => {
      const { live } = await house.workspace()
      const rationaleOf = async (completion: Completion) => {
        const { id } = await versionOf(live, rowsWith(120, completion))
        return saidOf(await proposalOf(live, id))
      }
      assert.include(await rationaleOf(() => "yes"), "single-label")
      const combinations = ["a", "b", "c", "a, b", "b, c", "c, a", "a, b, c"]
      assert.include(
        await rationaleOf((index) => combinations[index % combinations.length]),
        "multi-label: 7 combinations of 3 labels"
      )
    })

    it("that its live run would refuse fails its rehearsal with the same code and message (P203)", async () => {
      const { live } = await house.workspace()
      const own = rowsWith(100, (index) => `an answer of its own, number ${index}`)
      const { id } = await versionOf(live, own)
      const ended = await Promise.all(
        [true, false].map(async (dry_run) => {
          const made = await createRun(live, { ...planOf(id), dry_run })
          return endedRun(live, expectStatus(made, 201).id)
        })
      )
      const [rehearsal, real] = ended
      assert.deepInclude(rehearsal, { status: "failed", dry_run: true })
      assert.deepInclude(rehearsal?.error, { code: "labels_not_closed", stage: 2 })
      assert.deepStrictEqual(rehearsal?.error, real?.error)
      assert.strictEqual(rehearsal?.totals.cost_usd, 0)
    })

    it("that nobody here can train says so in proposal and rehearsal, in the words of the refusal (P202)", async () => {
      const { live } = await house.workspace()
      const texts = rowsWith(
        100,
        (index) => `A long answer, number ${index}, that no other row has. ${"word ".repeat(30)}`
      )
      const { id } = await versionOf(live, texts)
      const proposal = await proposalOf(live, id)
      assert.include(saidOf(proposal), "refused here: No trainer is set up")
      // A profile whose estimate is within the cost.
      assert.isAtMost(proposal.estimate.cost_usd, proposal.budget.max_cost_usd)
      assert.match(saidOf(proposal), /On \w+ the same plan is estimated at \$[\d.]+: name it as compute.profile/)
      const { rewards, stages, student_model } = proposal
      const plan = { recipe: { rewards, stages, student_model } }
      const refused = await createRun(live, dryRun(id, { ...plan, dry_run: false }))
      assertRefused(refused, 409, "conflict_error", "recipe.student_model")
      const made = expectStatus(await createRun(live, dryRun(id, { ...plan, budget: { max_cost_usd: 0 } })), 201)
      const rehearsal = await endedRun(live, made.id)
      assert.strictEqual(rehearsal.status, "succeeded")
      const [missing = "", price = ""] = rehearsal.warnings
      assert.match(missing, /^A live run of this plan is refused: No trainer is set up/)
      assert.include(refused.text, "No trainer is set up")
      assert.match(price, /above budget.max_cost_usd/)
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${rehearsal.report}`), 200)
      assert.include(report.summary, missing)
    })
  },
  { builtin: BuiltinExecutor.executor }
)
