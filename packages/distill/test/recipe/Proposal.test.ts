import { assert, describe, it } from "@effect/vitest"
import type { RowProfile } from "@limbeck/distill/dataset/DatasetVersion"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import * as Proposal from "@limbeck/distill/recipe/Proposal"
import * as ProposalInput from "@limbeck/distill/recipe/ProposalInput"
import { Recipe } from "@limbeck/distill/recipe/Recipe"
import * as StudentBase from "@limbeck/distill/recipe/StudentBase"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CaseJudge from "../../src/recipe/internal/CaseJudge.ts"
import * as RecipeRules from "../../src/recipe/internal/RecipeRules.ts"

const profile = (is: Partial<RowProfile> = {}): RowProfile => ({
  rows: 1_000,
  multiTurn: 0,
  toolUse: 0,
  structured: 0,
  labels: null,
  promptTokens: 200_000,
  completionTokens: 50_000,
  longestTokens: 900,
  ...is
})

const gpu = ComputeProfile.standard.find(({ id }) => id === "l4")!
const around = (where = gpu): ProposalInput.Environment => ({
  students: StudentBase.standard,
  profiles: ComputeProfile.standard,
  builtinSpeed: 1,
  profile: where,
  missing: { builtin: null, llm: null }
})

const propose = (
  wish: Partial<ProposalInput.Preferences> = {},
  is: Partial<RowProfile> = {},
  surroundings = around(),
  holdoutRows = 100
) => {
  const whole: ProposalInput.Preferences = {
    objective: "cost",
    maxCostMicros: 100_000_000,
    outcome: "deployable_student",
    rewards: [],
    ...wish
  }
  return Proposal.propose({ trainRows: 900, holdoutRows, profile: profile(is) }, whole, surroundings)!
}

const kindsOf = ({ stages }: Proposal.Proposal) => stages.map(({ kind }) => kind)
const labels = ["no", "yes"]

describe("a proposal for JSON answers with fields of several kinds", () => {
  const fieldKinds: RowProfile["fieldKinds"] = [
    { name: "amount", kind: "number", rows: 900, share: 1 },
    { name: "customer/name", kind: "span", rows: 900, share: 0.95 },
    { name: "customer/tier", kind: "closed", rows: 900, share: 1 },
    { name: "priority", kind: "ordered", rows: 900, share: 1 },
    { name: "summary", kind: "free", rows: 900, share: 1 },
    { name: "topic", kind: "closed", rows: 900, share: 0.98 }
  ]
  const sentencesOf = (is: Partial<RowProfile>) => propose({}, { labels: null, structured: 900, ...is }).rationale

  it("says which a builtin student can fill, by which setting, and which none fills (P1774)", () => {
    const sentences = sentencesOf({ fieldKinds })
    assert.include(
      sentences,
      'These fields are closed sets: "priority", "topic". With `fields: "closed_only"` in the sft stage of a builtin student, and in its deployment, it fills them, and the fallback the others.'
    )
    assert.include(
      sentences,
      'No builtin student fills "amount", "customer/name": the values are numbers or copied from the request.'
    )
  })

  it("advises no setting for calls of tools, and says nothing where a student fills all or none (P1774)", () => {
    const calls = sentencesOf({ fieldKinds, toolUse: 900 })
    assert.include(
      calls,
      'These fields are closed sets: "priority", "topic". A builtin student learns whole calls only.'
    )
    const closed = sentencesOf({ fieldKinds: fieldKinds.filter(({ kind }) => kind === "closed") })
    assert.isFalse(closed.some((sentence) => sentence.includes("closed sets")))
    const free = sentencesOf({ fieldKinds: fieldKinds.filter(({ kind }) => kind === "free") })
    assert.isFalse(free.some((sentence) => sentence.includes("closed")))
  })
})

describe("a proposal for decisions", () => {
  const question = (name: string | null, count: number) => ({
    question: `qst_${"0".repeat(26)}` as const,
    name,
    kind: "choice" as const,
    instructions: "Which?",
    options: Array.from({ length: count }, (_, at) => ({ value: `${at}` })),
    rows: 900
  })

  it("names the case decision, the builtin student and the questions, and no language model takes it (P1280)", () => {
    const data = {
      trainRows: 900,
      holdoutRows: 100,
      profile: profile(),
      questions: [question("team", 3), question(null, 2)]
    }
    const wish = {
      objective: "quality",
      maxCostMicros: 100_000_000,
      outcome: "deployable_student",
      rewards: []
    } as const
    const made = Proposal.propose(data, wish, around())!
    assert.deepStrictEqual([made.case, made.student.id], ["decision", StudentBase.builtin.id])
    assert.isTrue(made.rationale.some((sentence) => sentence.startsWith('The rows answer 2 questions: "team", "qst_')))
    assert.strictEqual(ProposalInput.sizeOf(data).labels, 5)
    const llm = StudentBase.standard.find(({ engine }) => engine === "llm")
    const checked = RecipeRules.checkData(llm!, data)
    assert.strictEqual(Result.isFailure(checked) ? checked.failure.param : undefined, "recipe.student_model")
    assert.isTrue(Result.isSuccess(RecipeRules.checkData(StudentBase.builtin, data)))
  })
})

describe("rewards of a proposal", () => {
  it("bring grpo where the trainer here can do it; where not, the reason stands in its place (P375)", () => {
    const rewards = ["rwd_1"]
    assert.include(kindsOf(propose({ rewards })), "grpo")
    const lacking = propose({ rewards }, {}, { ...around(), lacks: { grpo: "it knows no server" } })
    assert.notInclude(kindsOf(lacking), "grpo")
    assert.include(lacking.rationale, "The rewards are not optimized: it knows no server.")
  })

  it("are suggested by what the completions are, where none is named", () => {
    const suggested = (is: Partial<RowProfile>) => propose({}, is).rationale.find((one) => one.startsWith("No reward"))
    assert.include(suggested({ structured: 1_000 }), "json_schema")
    assert.include(suggested({}), "llm_judge")
    assert.isUndefined(suggested({ labels }))
  })
})

describe("CaseJudge", () => {
  const caseOf = (is: Partial<RowProfile>) => CaseJudge.judge(profile(is)).case

  it("what most rows are about is the case; tools in a fifth of them are enough", () => {
    assert.strictEqual(caseOf({}), "generation")
    assert.strictEqual(caseOf({ labels }), "classification")
    assert.strictEqual(caseOf({ structured: 501 }), "extraction")
    assert.strictEqual(caseOf({ structured: 500 }), "generation")
    assert.strictEqual(caseOf({ multiTurn: 501 }), "conversation")
    assert.strictEqual(caseOf({ toolUse: 200, structured: 1_000 }), "tool_use")
    assert.strictEqual(caseOf({ toolUse: 199 }), "generation")
  })

  it("a closed set written as JSON is classification; single-label and multi-label data are named as such (P201)", () => {
    const json = ['{"label":"ham"}', '{"label":"spam"}']
    assert.strictEqual(caseOf({ labels: json, structured: 1_000 }), "classification")
    const because = (is: Partial<RowProfile>) => CaseJudge.judge(profile(is)).because
    assert.include(because({ labels: json, structured: 1_000 }), "written as JSON")
    assert.include(because({ labels: ["a", "a, b", "b", "b, c", "c, a"] }), "multi-label")
    assert.include(because({ labels: ["yes"] }), "single-label")
    assert.strictEqual(caseOf({ labels: ["yes"] }), "classification")
  })

  it("labels are a closed set when there are two, and each comes twice on average", () => {
    assert.isFalse(CaseJudge.isClosedSet(profile({ labels: ["yes"] })))
    assert.isTrue(CaseJudge.isClosedSet(profile({ labels, rows: 4 })))
    assert.isFalse(CaseJudge.isClosedSet(profile({ labels, rows: 3 })))
    assert.isFalse(CaseJudge.isClosedSet(profile({ labels: null })))
  })
})

describe("Proposal", () => {
  it("the same question has the same answer (P26)", () => assert.deepStrictEqual(propose(), propose()))

  it("the speed of the machine changes the estimate of the builtin student, and nothing else (P96)", () => {
    const on = (builtinSpeed: number) => propose({}, { labels }, { ...around(ComputeProfile.local), builtinSpeed })
    const { estimate: usual, ...proposal } = on(1)
    const { estimate: fast, ...same } = on(2)
    assert.deepStrictEqual(same, proposal)
    assert.closeTo(fast.gpuSeconds, usual.gpuSeconds / 2, 0.001)
    assert.strictEqual(fast.assumptions["machine_speed"], 2)
  })

  it("what a tokenizer has counted makes the estimate and max_seq_len, and the proposal says so (P414)", () => {
    const sums = { rows: 100, promptTokens: 40_000, completionTokens: 10_000, longestTokens: 1_500 }
    const counted = { ...sums, tokenizer: "Qwen/Qwen3-0.6B" }
    const tokens = new Map(StudentBase.standard.map(({ id }) => [id, counted]))
    const [byBytes, byTokens] = [propose(), propose({}, {}, { ...around(), tokens })]
    assert.deepInclude(byBytes.estimate.assumptions, { tokens_from: "bytes", bytes_per_token: 4 })
    assert.include(byBytes.rationale.join(" "), "250 tokens, estimated from their bytes")
    const { assumptions } = byTokens.estimate
    assert.deepInclude(assumptions, { tokens_from: "tokenizer of Qwen/Qwen3-0.6B", token_counted_rows: 100 })
    assert.deepInclude(assumptions, { prompt_tokens_per_row: 400, completion_tokens_per_row: 100 })
    assert.notProperty(assumptions, "bytes_per_token")
    assert.include(
      byTokens.rationale.join(" "),
      "500 tokens, counted by the tokenizer of Qwen/Qwen3-0.6B in 100 of them"
    )
    assert.isAbove(byTokens.estimate.gpuSeconds, byBytes.estimate.gpuSeconds)
    // The longest row has twice its estimate from bytes.
    assert.deepInclude(byBytes.stages[0]?.config, { max_seq_len: 1024 })
    assert.deepInclude(byTokens.stages[0]?.config, { max_seq_len: 2048 })
  })

  it("work with a closed set of labels goes to the builtin student, whatever the objective", () => {
    for (const objective of ProposalInput.Objective.literals) {
      const proposal = propose({ objective }, { labels }, around(ComputeProfile.local))
      assert.strictEqual(proposal.student.id, "builtin/text-classifier")
      assert.deepStrictEqual(kindsOf(proposal), ["sft", "eval", "publish"])
      assert.isBelow(proposal.estimate.costMicros, 1_000)
    }
  })

  it("the builtin student learns longer for quality, and reads less for latency (P96)", () => {
    const configOf = (objective: ProposalInput.Objective, is = {}) =>
      propose({ objective }, { labels, ...is }, around(ComputeProfile.local)).stages[0]?.config
    assert.deepStrictEqual(configOf("cost"), { epochs: 10 })
    assert.deepStrictEqual(configOf("quality"), { epochs: 20 })
    assert.deepStrictEqual(configOf("latency"), { epochs: 10, max_seq_len: 1024 })
    assert.deepStrictEqual(configOf("latency", { longestTokens: 9 }), { epochs: 10, max_seq_len: 512 })
    assert.deepStrictEqual(configOf("latency", { longestTokens: 1_000_000 }), { epochs: 10, max_seq_len: 4096 })
  })

  it("the objective decides: cheapest, smallest, or largest within the cost (P96)", () => {
    const [cost, quality, latency] = (["cost", "quality", "latency"] as const).map((objective) =>
      propose({ objective })
    )
    assert.strictEqual(cost?.student.id, "Qwen/Qwen3-0.6B")
    assert.strictEqual(latency?.student.id, "Qwen/Qwen3-0.6B")
    assert.strictEqual(quality?.student.id, "Qwen/Qwen3-8B")
    assert.notDeepEqual(cost?.stages, quality?.stages)
  })

  it("quality is bought only as far as the cost allows", () => {
    const chosen = [10_000_000, 200_000, 60_000, 30_000].map(
      (maxCostMicros) => propose({ objective: "quality", maxCostMicros }).student.parameters ?? 0
    )
    assert.deepStrictEqual(
      chosen,
      chosen.toSorted((a, b) => b - a)
    )
    assert.isAbove(new Set(chosen).size, 1)
    for (const maxCostMicros of [10_000_000, 200_000]) {
      assert.isAtMost(propose({ objective: "quality", maxCostMicros }).estimate.costMicros, maxCostMicros)
    }
  })

  it("when nothing fits, the cheapest is proposed and the rationale says what it would take", () => {
    const proposal = propose({ objective: "quality", maxCostMicros: 0 })
    assert.strictEqual(proposal.student.id, "Qwen/Qwen3-0.6B")
    assert.isTrue(proposal.rationale.some((sentence) => sentence.startsWith("No student is estimated within $0")))
  })

  it("what can run here is proposed before what cannot (P202)", () => {
    const here = (
      missing: Partial<ProposalInput.Environment["missing"]>,
      is: Partial<RowProfile>,
      maxCostMicros?: number
    ) =>
      propose(maxCostMicros === undefined ? {} : { maxCostMicros }, is, {
        ...around(ComputeProfile.local),
        missing: { builtin: null, llm: null, ...missing }
      })
    const said = (of: Proposal.Proposal) => of.rationale.join(" ")
    const noTrainer = { llm: "No trainer is set up" }
    assert.strictEqual(here(noTrainer, { labels }).student.engine, "builtin")
    const noBuiltin = here({ builtin: "Nobody trains it" }, { labels })
    assert.strictEqual(noBuiltin.student.engine, "llm")
    assert.include(said(noBuiltin), "builtin/text-classifier is not proposed: Nobody trains it.")
    assert.include(said(here(noTrainer, {})), "A live run of this plan is refused here: No trainer is set up.")
    assert.strictEqual(here({ builtin: "Nobody trains it", ...noTrainer }, { labels }).student.engine, "builtin")
  })

  it("a language model is estimated on a profile within the cost, and the rationale names it (P202)", () => {
    const { estimate, rationale } = propose({ maxCostMicros: 1_000_000 }, {}, around(ComputeProfile.local))
    assert.isAtMost(estimate.costMicros, 1_000_000)
    assert.notStrictEqual(estimate.assumptions["profile"], "local")
    assert.isTrue(rationale.some((sentence) => sentence.includes("as compute.profile of the run")))
  })

  it("memory is told, and for a language model the time on each profile (P330)", () => {
    const model = propose({}, {}, around(ComputeProfile.local))
    assert.strictEqual(model.student.parameters, 600_000_000)
    assert.isTrue(model.rationale.some((sentence) => sentence.startsWith("Its weights take 1.2 GB of")))
    const times = model.rationale.find((sentence) => sentence.startsWith("It is estimated to take these minutes"))
    for (const { id } of ComputeProfile.standard) assert.match(times ?? "", new RegExp(` [\\d.]+ on ${id}[,.]`))
    const small = propose({}, { labels }).rationale
    assert.isTrue(small.some((sentence) => /^Its weights are estimated to take [\d.]+ [kM]B of memory/.test(sentence)))
  })

  it("other writings of labels and odd completions are told (P200)", () => {
    const { rationale } = propose({}, { labels, answers: { odd: 3, variants: 1 } })
    assert.isTrue(rationale.some((sentence) => sentence.startsWith("1 other writing of labels")))
    assert.isTrue(rationale.some((sentence) => sentence.startsWith("3 rows have an odd completion")))
  })

  it("every proposal is a recipe that a run takes, with all of its config", () => {
    const rewards = ["rwd_1"]
    for (const objective of ProposalInput.Objective.literals) {
      for (const outcome of ProposalInput.Outcome.literals) {
        for (const is of [{}, { labels }, { toolUse: 900 }, { longestTokens: 1_000_000 }]) {
          const { stages, student } = propose({ objective, outcome, rewards }, is)
          const recipe = Schema.decodeSync(Recipe)({ student_model: student.id, stages, rewards })
          assert.isTrue(Result.isSuccess(RecipeRules.check(recipe, student, new Set(rewards))))
          assert.strictEqual(
            stages.some(({ kind }) => kind === "publish"),
            outcome === "deployable_student"
          )
          const sft = stages.find((stage) => stage.kind === "sft")
          assert.isAbove(sft?.config.epochs ?? 0, 0)
          assert.isAtMost(sft?.config.max_seq_len ?? 0, student.contextLength)
        }
      }
    }
  })

  it("rewards bring grpo where the student takes it, and are what eval scores", () => {
    const proposal = propose({ rewards: ["rwd_1"] })
    assert.deepStrictEqual(kindsOf(proposal), ["sft", "grpo", "eval", "publish"])
    const evaluation = proposal.stages.find((stage) => stage.kind === "eval")
    assert.deepStrictEqual(evaluation?.config, { rewards: ["rwd_1"], sample: 100 })
    assert.deepStrictEqual(kindsOf(propose({ rewards: ["rwd_1"] }, { labels })), ["sft", "eval", "publish"])
  })

  it.each([
    { rows: { labels }, holdout: 1_200, sample: 1_200 },
    { rows: { labels }, holdout: 20_000, sample: 10_000 },
    { rows: {}, holdout: 1_200, sample: 500 },
    { rows: {}, holdout: 60, sample: 60 }
  ])("of $holdout holdout rows it evaluates $sample (P1526)", ({ holdout, rows, sample }) => {
    const { rationale, stages } = propose({}, rows, around(), holdout)
    assert.strictEqual(stages.find((stage) => stage.kind === "eval")?.config.sample, sample)
    assert.include(rationale, `It is evaluated on ${sample} of ${holdout} holdout rows.`)
  })

  it("without holdout rows there is nothing to evaluate", () =>
    assert.deepStrictEqual(kindsOf(propose({}, {}, around(), 0)), ["sft", "publish"]))

  it("where another machine would be cheaper, the rationale says so", () => {
    const here = propose({}, {}, around(ComputeProfile.local))
    assert.isTrue(here.rationale.some((sentence) => /^On (l4|a100|h100) the same plan/.test(sentence)))
  })

  it("assumptions are flat and finite", () => {
    for (const is of [{}, { labels }]) {
      for (const value of Object.values(propose({}, is).estimate.assumptions)) {
        assert.isTrue(typeof value === "string" || Number.isFinite(value))
      }
    }
  })
})
