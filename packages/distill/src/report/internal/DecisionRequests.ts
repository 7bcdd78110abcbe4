/** Who would have answered the requests of a holdout of decisions, and what that saves (contract 16.27). Pure. */
import * as Schema from "effect/Schema"
import * as RowText from "../../dataset/RowText.ts"
import type { VersionQuestion } from "../../dataset/VersionQuestion.ts"
import { type DecidedRow, isAlone } from "../DecidedRow.ts"
import type { RequestCosts } from "../RequestCosts.ts"

/** `answered_here`, `mixed` and `upstream` are shares of the rows. */
export const RequestFigures = Schema.Struct({
  answered_here: Schema.Finite,
  mixed: Schema.Finite,
  upstream: Schema.Finite,
  /** US dollars; null without a captured call of a known cost. */
  saved_usd_per_1000: Schema.NullOr(Schema.Finite)
})

type RequestFigures = typeof RequestFigures.Type

/** Characters of what a question asks. */
const sizeOf = ({ instructions, options }: VersionQuestion): number =>
  options.reduce((sum, { description = "", value }) => sum + String(value).length + description.length, 0) +
  instructions.length

interface SplitSize {
  readonly student: number
  readonly upstream: number
  /** The questions of the row, and those of them for the upstream. */
  readonly asked: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  /** Characters that the upstream does not read, and all characters. */
  readonly saved: number
  readonly all: number
}

/** A request without a question for the upstream saves its evidence too; any other saves the text of its questions alone. */
const splitSizeOf = ({ answers, isNew, row }: DecidedRow, sizes: ReadonlyMap<string, number>): SplitSize => {
  const known = new Map(answers.map((answer) => [answer.question, answer]))
  const evidence = row.messages.reduce((sum, message) => sum + RowText.textOf(message).length, 0)
  const asked = (row.decisions ?? []).map(({ question }) => question)
  const split = { student: 0, upstream: 0, saved: 0, all: evidence, asked, left: [] as Array<string> }
  for (const question of asked) {
    const size = sizes.get(question) ?? 0
    const answer = known.get(question)
    split.all += size
    if (answer === undefined || !isAlone(answer, isNew)) {
      split.upstream++
      split.left.push(question)
    } else {
      split.student++
      split.saved += size
    }
  }
  return split.upstream === 0 ? { ...split, saved: split.all } : split
}

/** The upstream's own count for both requests, the whole one and its part; null unless it has counted both. */
const countedSaving = ({ asked, left, upstream }: SplitSize, costs: RequestCosts): number | null => {
  const whole = costs.costOf(asked)
  const part = upstream === 0 ? 0 : costs.costOf(left)
  return whole === null || part === null ? null : Math.max(0, whole - part)
}

/** The mean saving of a request. Where the upstream has not counted both, by the share of text that it does not read. */
const savedUsdOf = (splits: ReadonlyArray<SplitSize>, costs: RequestCosts): number | null => {
  const { callUsd } = costs
  const size = Math.max(
    1,
    splits.reduce((sum, { all }) => sum + all, 0)
  )
  const estimated = ({ saved }: SplitSize) => (callUsd === null ? null : (callUsd * saved * splits.length) / size)
  const savings = splits.flatMap((split) => countedSaving(split, costs) ?? estimated(split) ?? [])
  return savings.length < splits.length ? null : savings.reduce((sum, saving) => sum + saving, 0) / splits.length
}

/** Null without rows. */
export const of = (
  decided: ReadonlyArray<DecidedRow>,
  questions: ReadonlyArray<VersionQuestion>,
  costs: RequestCosts
): RequestFigures | null => {
  if (decided.length === 0) return null
  const sizes = new Map<string, number>(questions.map((question) => [question.question, sizeOf(question)]))
  const splits = decided.map((row) => splitSizeOf(row, sizes))
  const share = (isOne: (split: SplitSize) => boolean) => splits.filter(isOne).length / splits.length
  const savedUsd = savedUsdOf(splits, costs)
  return {
    answered_here: share(({ upstream }) => upstream === 0),
    mixed: share(({ student, upstream }) => student > 0 && upstream > 0),
    upstream: share(({ student, upstream }) => student === 0 && upstream > 0),
    saved_usd_per_1000: savedUsd === null ? null : Math.round(savedUsd * 1e9) / 1e6
  }
}
