/** The questions of a version's decisions, counted in bounded memory: beyond the bound, the rarest are forgotten. */
import type { IdentifiedQuestion } from "@limbeck/capture/dialect/decisions/AnsweredQuestions"
import type { Question, QuestionId, RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import { DistillLimits } from "../../Limits.ts"
import type { VersionQuestion } from "../VersionQuestion.ts"

interface SeenQuestion {
  readonly question: Question
  lines: number
  rows: number
  /** Rows by the name that they give the question. */
  readonly names: Map<string | null, number>
}

const charactersOf = ({ instructions, options }: Question): number =>
  options.reduce(
    (sum, { description = "", value }) => sum + String(value).length + description.length,
    instructions.length
  )

const compare = <A extends string | number>(a: A, b: A): number => (a < b ? -1 : Number(a > b))

const nameOf = (names: ReadonlyMap<string | null, number>): string | null =>
  [...names].toSorted(([a, many], [b, few]) => few - many || compare(a ?? "", b ?? ""))[0]?.[0] ?? null

export class QuestionTable {
  readonly #seen = new Map<QuestionId, SeenQuestion>()

  /** Remembers a question of a line, unless its text exceeds the bound of a listed question. */
  see({ id, question }: IdentifiedQuestion): void {
    const known = this.#seen.get(id)
    if (known !== undefined) known.lines++
    else if (charactersOf(question) <= DistillLimits.questionCharactersMax) {
      this.#seen.set(id, { question, lines: 1, rows: 0, names: new Map() })
      if (this.#seen.size > 2 * DistillLimits.questionsMax) this.#forget()
    }
  }

  /** Counts the decisions of a row. */
  count(decisions: ReadonlyArray<RowDecision>): void {
    for (const { name, question } of decisions) {
      const seen = this.#seen.get(question)
      if (seen === undefined) continue
      seen.rows++
      const rows = seen.names.get(name)
      if (rows !== undefined || seen.names.size < DistillLimits.questionNamesMax) seen.names.set(name, (rows ?? 0) + 1)
    }
  }

  #forget(): void {
    const rarest = [...this.#seen].toSorted(([, a], [, b]) => a.lines - b.lines)
    for (const [id] of rarest.slice(0, DistillLimits.questionsMax)) this.#seen.delete(id)
  }

  /** Those with the most rows first. */
  get questions(): ReadonlyArray<VersionQuestion> {
    return [...this.#seen]
      .filter(([, { rows }]) => rows > 0)
      .map(([id, { names, question, rows }]) => ({ question: id, name: nameOf(names), ...question, rows }))
      .toSorted((a, b) => b.rows - a.rows || compare(a.question, b.question))
      .slice(0, DistillLimits.questionsMax)
  }
}
