/** Decisions about the mail of a desk: four questions, of which a student can learn three. */
import { assert } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import * as Generator from "../random/Generator.ts"
import { type Client, expectStatus } from "./Client.ts"
import { announce, createRun, endedRun, linesOf, proposalOf, readUntil, sendContent, settledUpload } from "./Steps.ts"

export const subjects = ["login", "parcel", "refund"]
const moods = ["thank you", "this is a scandal"]
const haste = ["whenever you like", "by next week", "right now"]

export const topic = { type: "choice", name: "topic", instructions: "What is it about?" }
export const choices = subjects.map((value) => ({ value }))
export const angry = { type: "predicate", name: "angry", instructions: "The customer is angry." }
const levels = ["low", "normal", "high"].map((label) => ({ label }))
export const urgent = { type: "score", name: "urgent", instructions: "How urgent is it?", levels }
/** The text does not say. */
export const luckOf = (name: string, draw: string) => ({
  type: "predicate",
  name,
  instructions: `The customer wins the ${draw}.`
})
/** The text does not say. */
export const luck = { type: "predicate", name: "luck", instructions: "The customer wins the draw." }

export const textOf = (subject = 0, mood = 0, level = 0, number = 0) =>
  `my ${subjects[subject]} number ${number}, ${moods[mood]}, I need it ${haste[level]}`

export const probabilities = (right: number) => [0, 1, 2].map((at) => (at === right ? 0.9 : 0.05))

const gradeOf = (level: number) => ({
  type: "score",
  name: "urgent",
  score: 1,
  confidence: 0.5,
  probabilities: probabilities(level).map((probability, value) => ({ value, label: levels[value]?.label, probability }))
})

interface PairOptions {
  /** The predicates that no student can learn. */
  readonly draws?: ReadonlyArray<typeof luck>
  /** Whether `urgent` is asked. */
  readonly isGraded?: boolean
}

/** As a teacher answered them. */
const pairs = (count: number, { draws = [luck], isGraded = true }: PairOptions) => {
  const { below } = Generator.make(11)
  return Array.from({ length: count }, () => {
    const [subject, mood, level] = [below(3), below(2), below(3)]
    const answers = [
      {
        type: "choice",
        name: "topic",
        choice: subjects[subject],
        confidence: 0.85,
        probabilities: probabilities(subject).map((probability, at) => ({ value: subjects[at], probability }))
      },
      { type: "predicate", name: "angry", probability: mood === 1 ? 0.9 : 0.1 },
      ...(isGraded ? [gradeOf(level)] : []),
      ...draws.map(({ name, type }) => ({ type, name, probability: below(2) === 1 ? 0.8 : 0.2 }))
    ]
    const input = textOf(subject, mood, level, below(100_000))
    const questions = [{ ...topic, choices }, angry, ...(isGraded ? [urgent] : []), ...draws]
    return { request: { model: "teacher", input, questions }, response: { model: "teacher", answers } }
  })
}

/** A version of pairs of a request and its answer. */
export const versionOfPairs = async (client: Client, pairs: ReadonlyArray<object>) => {
  const upload = await announce(client, { format: "decisions_jsonl" })
  expectStatus(await sendContent(client, upload, linesOf(pairs)), 202)
  assert.deepInclude(await settledUpload(client, upload.id), { status: "succeeded", rows: pairs.length })
  const made = await client.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "desk" })
  const path = `/v1/distill/datasets/${expectStatus(made, 201).id}/versions`
  const version = await client.post<typeof DatasetVersion.Type>(path, { from: { upload: upload.id } })
  return readUntil(
    () => client.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${expectStatus(version, 201).id}`),
    ({ status }) => status !== "building"
  )
}

export const versionOf = (client: Client, options: PairOptions = {}) => versionOfPairs(client, pairs(1_500, options))

interface RunOptions {
  readonly dryRun: boolean
  /** Of the evaluation. */
  readonly evalConfig?: object
}

/** The run of the proposed recipe. */
export const runOf = async (client: Client, version: string, options: RunOptions) => {
  const { rewards, stages: proposed, student_model } = await proposalOf(client, version)
  const stages = proposed.map((stage) =>
    stage.kind === "eval" ? { ...stage, config: { ...stage.config, ...options.evalConfig } } : stage
  )
  const body = {
    dataset_version: version,
    recipe: { student_model, stages, rewards },
    budget: { max_cost_usd: 5 },
    dry_run: options.dryRun
  }
  return endedRun(client, expectStatus(await createRun(client, body), 201).id)
}
