/** Fields of requests, drawn from a generator: nearly always valid. */
import type { Generator } from "@limbeck/testing/random/Generator"

export type Body = Readonly<Record<string, unknown>>

/** Ids that a reference may turn to. */
const referenceSpan = 40

/** One reference in this many may turn to the other mode. */
const otherModeRarity = 12

export const reference = ({ below }: Generator, prefix: string): string =>
  `{${prefix}:${below(otherModeRarity) === 0 ? "any" : ""}${below(referenceSpan)}}`

/** Values that no field of the API takes, or few. */
const oddities: ReadonlyArray<unknown> = [
  null,
  "",
  0,
  -1,
  1.5,
  true,
  [],
  {},
  "\u0000",
  "😀".repeat(300),
  "{run_:1}",
  1e21
]

/** The body, or one in eight times the body with a field that is missing, odd or unknown. */
export const nearly = ({ below, pick }: Generator, body: Body): Body => {
  const name = pick(Object.keys(body))
  switch (below(24)) {
    case 0:
      return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
    case 1:
      return { ...body, [name]: pick(oddities) }
    case 2:
      return { ...body, unknown_field: pick(oddities) }
    default:
      return body
  }
}

export const nameOf = ({ pick }: Generator): string => pick(["tickets", "Mail", "ß & <b>", "a".repeat(200), "x"])

export const tagsOf = ({ below, some }: Generator): ReadonlyArray<string> => some(2, () => `team-${below(3)}`)

const messagesOf = (ticket: number, about: number) => [
  { role: "system", content: "Name the case." },
  { role: "user", content: `ticket ${ticket} about ${about}, from ada@example.com` }
]

export const rowLine = (ticket: number, about: number): string =>
  `${JSON.stringify({ messages: messagesOf(ticket, about), completion: `label${about}` })}\n`

export const question = (ticket: number, about: number, model = "gpt"): Body => ({
  model,
  messages: messagesOf(ticket, about)
})

/** Up to 60 rows, some of them equal, and one in four times a line that is no row. */
export const rowsOf = (generator: Generator): string => {
  const lines = generator.some(60, () => rowLine(generator.below(40), generator.below(3)))
  return [...lines, ...generator.pick([[], [], [], ["no row\n"]])].join("")
}

export const versionBody = (generator: Generator): Body => ({
  from: generator.pick([
    { upload: reference(generator, "upl_") },
    { calls: {} },
    { calls: { tags: tagsOf(generator) } },
    { versions: [reference(generator, "dsv_")], calls: {} },
    { upload: "{upl_:0}" }
  ]),
  holdout_fraction: generator.pick([0.1, 0.25, 0.5]),
  seed: generator.below(3),
  ...generator.pick([{}, { dedupe: "none" }, { redact: ["email"] }])
})

const wholeStages = ["sft", "eval", "publish"].map((kind) => ({ kind, config: {} }))

export const runBody = (generator: Generator): Body => ({
  dataset_version: reference(generator, "dsv_"),
  recipe: {
    student_model: generator.pick(["builtin/text-classifier", "Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B", "no/such"]),
    stages: generator.pick([[{ kind: "sft", config: {} }], wholeStages]),
    rewards: []
  },
  budget: { max_cost_usd: generator.pick([5, 0.01, 0]) },
  compute: { profile: generator.pick(["local", "local", "nowhere"]) },
  dry_run: generator.pick([true, false])
})

/** The student is served by the model's server. */
export const served: Body = {
  guard: null,
  endpoint: { base_url: "{base}", model: "student", api_key: "sk-0123456789" },
  fallback: { source: "model", model: "gpt" }
}

export const liveRun = (version: string): Body => ({
  dataset_version: version,
  recipe: { student_model: "Qwen/Qwen3-0.6B", stages: wholeStages, rewards: [] },
  budget: { max_cost_usd: 5 },
  compute: { profile: "local" },
  dry_run: false
})

export const chatBody = ({ below, pick }: Generator): Body =>
  question(below(30), below(3), pick(["gpt", "gpt", "none", `svc:desk-${below(4)}`, "svc:desk-0"]))
