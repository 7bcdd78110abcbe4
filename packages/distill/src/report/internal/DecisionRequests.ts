/** Splits holdout requests for decisions between student and upstream, and estimates the saving (contract 16.27). Pure. */
import * as Schema from "effect/Schema"
import * as RowText from "../../dataset/RowText.ts"
import type { VersionQuestion } from "../../dataset/VersionQuestion.ts"
import { type DecidedRow, isAlone } from "../DecidedRow.ts"
import type { RequestCosts } from "../RequestCosts.ts"

const figures = {
  answered_here: Schema.Finite,
  mixed: Schema.Finite,
  upstream: Schema.Finite,
  /** US dollars; null without a captured call of a known cost. */
  saved_usd_per_1000: Schema.NullOr(Schema.Finite)
}

/** The share of the rows whose saving is an estimate by the length of texts, and not the upstream's count; null as the saving. */
const estimatedShare = Schema.NullOr(Schema.Finite)

/** `answered_here`, `mixed` and `upstream` are shares of the rows. Evaluations from before it was kept lack the estimated share. */
export const RequestFigures = Schema.Struct({ ...figures, saved_estimated_share: Schema.optionalKey(estimatedShare) })
type RequestFigures = typeof RequestFigures.Type

/** As reports show it. */
export const ShownRequests = Schema.Struct({ ...figures, saved_estimated_share: estimatedShare })

/** Characters of what a question asks. */
const sizeOf = ({ instructions, options }: VersionQuestion): number =>
  options.reduce((sum, { description = "", value }) => sum + String(value).length + description.length, 0) +
  instructions.length

interface SplitSize {
  readonly student: number
  readonly upstream: number
  /** Questions in the row, and questions left to the upstream. */
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

interface Saving {
  readonly meanUsd: number
  /** The share of requests with an estimated saving. */
  readonly estimatedShare: number
}

/** The mean saving of a request. Without token counts from the upstream, estimated by the share of omitted text. */
const savingOf = (splits: ReadonlyArray<SplitSize>, costs: RequestCosts): Saving | null => {
  const { callUsd } = costs
  const size = Math.max(
    1,
    splits.reduce((sum, { all }) => sum + all, 0)
  )
  let usd = 0
  let estimated = 0
  for (const split of splits) {
    const counted = countedSaving(split, costs)
    if (counted === null && callUsd === null) return null
    if (counted === null) estimated++
    usd += counted ?? ((callUsd ?? 0) * split.saved * splits.length) / size
  }
  return { meanUsd: usd / splits.length, estimatedShare: estimated / splits.length }
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
  const saving = savingOf(splits, costs)
  return {
    answered_here: share(({ upstream }) => upstream === 0),
    mixed: share(({ student, upstream }) => student > 0 && upstream > 0),
    upstream: share(({ student, upstream }) => student === 0 && upstream > 0),
    saved_usd_per_1000: saving === null ? null : Math.round(saving.meanUsd * 1e9) / 1e6,
    saved_estimated_share: saving?.estimatedShare ?? null
  }
}
