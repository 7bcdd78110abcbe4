/** Counts the prompts of a version, and those with several answers: no student can agree with more than one of them. */
import { DistillLimits } from "../../Limits.ts"
import * as LabelRules from "../LabelRules.ts"
import { PromptSet } from "./PromptSet.ts"

/** FNV-1a. Spellings of a label are one answer. */
const answerOf = (label: string): number => {
  let hash = 0x811c9dc5
  for (const unit of new TextEncoder().encode(LabelRules.formOf(label))) hash = Math.imul(hash ^ unit, 0x01000193)
  return hash >>> 0
}

/** Mutable, for a single builder. */
export class PromptAnswers {
  readonly #prompts = new PromptSet()
  /** Rows by answer, of prompts with several rows. */
  readonly #repeated = new Map<string, Map<number, number>>()

  get prompts(): number {
    return this.#prompts.size
  }

  /** `label`: null or undefined for an answer that is no label, whose repetitions are not compared. */
  add(promptKey: Uint8Array, label: string | null | undefined): void {
    const answer = typeof label === "string" ? answerOf(label) : 0
    const first = this.#prompts.add(promptKey, answer)
    if (first === undefined || typeof label !== "string") return
    const key = promptKey.join(" ")
    const known = this.#repeated.get(key)
    if (known === undefined && this.#repeated.size >= DistillLimits.repeatedPromptsMax) return
    const answers = known ?? new Map([[first, 1]])
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
    this.#repeated.set(key, answers)
  }

  /** Rows of prompts with several answers, and the rows by which they pass the most frequent answer of each prompt. */
  get contradictions(): { readonly rows: number; readonly lost: number } {
    let rows = 0
    let lost = 0
    for (const answers of this.#repeated.values()) {
      if (answers.size < 2) continue
      const counts = [...answers.values()]
      const all = counts.reduce((sum, count) => sum + count, 0)
      rows += all
      lost += all - Math.max(...counts)
    }
    return { rows, lost }
  }
}
