/** The base models that a student can be made of (contract 5). */
import * as Schema from "effect/Schema"
import type { Prices } from "../student/Endpoint.ts"
import { namedStages, type StageKind } from "./Recipe.ts"

/** The cases of conversations, which every language model takes. */
const conversationCases = ["classification", "extraction", "generation", "tool_use", "conversation"] as const

/** `decision`: rows of decisions. */
export const RunCase = Schema.Literals([...conversationCases, "decision"])
export type RunCase = typeof RunCase.Type

export interface StudentBase {
  readonly id: string
  /** `builtin`: trained on this machine in seconds; `llm`: needs a trainer. */
  readonly engine: "builtin" | "llm"
  /** Number of weights; null if it depends on the data. */
  readonly parameters: number | null
  /** Tokens. */
  readonly contextLength: number
  readonly stages: ReadonlyArray<StageKind>
  readonly cases: ReadonlyArray<RunCase>
  readonly license: string
  /** Whether its recipe names the source of its embeddings. Proposals choose no such student. */
  readonly embeds?: boolean
  /** The prices of an external student's endpoint. */
  readonly served?: Prices
}

/** What a language model takes. */
export const llmStages = namedStages

const llm = (id: string, parameters: number, contextLength: number, license: string): StudentBase => ({
  id,
  engine: "llm",
  parameters,
  contextLength,
  stages: llmStages,
  cases: conversationCases,
  license
})

export const builtin: StudentBase = {
  id: "builtin/text-classifier",
  engine: "builtin",
  parameters: null,
  contextLength: 1_048_576,
  stages: ["sft", "eval", "publish"],
  cases: ["classification", "decision"],
  license: "MIT"
}

/** The same student with embeddings of a source among its features. */
export const embedding: StudentBase = { ...builtin, id: "builtin/embedding-classifier", embeds: true }

/** Smallest first. */
export const standard: ReadonlyArray<StudentBase> = [
  builtin,
  embedding,
  llm("Qwen/Qwen3-0.6B", 600_000_000, 32_768, "Apache-2.0"),
  llm("Qwen/Qwen3-1.7B", 1_700_000_000, 32_768, "Apache-2.0"),
  llm("Qwen/Qwen3-4B", 4_000_000_000, 32_768, "Apache-2.0"),
  llm("Qwen/Qwen3-8B", 8_200_000_000, 32_768, "Apache-2.0")
]
