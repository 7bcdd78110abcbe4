/** Checks the teacher and the budget of a version that is to be relabelled, before anything is stored. */
import { invalid, referenceUnknown } from "@limbeck/core/errors/Errors"
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Clean, DatasetVersion } from "../dataset/DatasetVersion.ts"
import { Candidates } from "../race/Candidates.ts"

export interface RelabelRequest {
  /** By name or id. */
  readonly source: string
  readonly model: string
  readonly maxCostUsd: number
}

const budgetParam = "relabel.budget.max_cost_usd"

const budgetOf = Effect.fnUntraced(function* (maxCostUsd: number) {
  const micros = Money.fromUsd(maxCostUsd)
  if (micros === undefined) return yield* invalid(budgetParam, `A budget is in ${Money.wording}`)
  return micros > 0 ? micros : yield* invalid(budgetParam, "Relabelling asks a model and needs a budget above 0")
})

export const make = Effect.gen(function* () {
  const candidates = yield* Candidates

  /** Undefined for a version that asks nobody. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    clean: typeof Clean.Type | undefined,
    request: RelabelRequest | undefined
  ) {
    if (request === undefined) {
      if (clean !== "relabel") return undefined
      return yield* invalid("relabel", '`clean: "relabel"` needs `relabel`: the source, the model and the budget')
    }
    if (clean !== "relabel") return yield* invalid("relabel", '`relabel` needs `clean: "relabel"`')
    const { maxCostUsd, model, source } = request
    const budgetMicros = yield* budgetOf(maxCostUsd)
    const bound = yield* Effect.catchTag(
      candidates.leastBound(partition, { source, model }),
      "SourceChatFailure",
      (failure) => invalid("relabel.source", failure.message)
    )
    if (Option.isNone(bound)) return yield* referenceUnknown("source", source, "relabel.source")
    if (bound.value === null) {
      const message = `${model} has no known price, so that no budget can bound its calls: set the model's prices in the source`
      return yield* invalid("relabel.model", message)
    }
    if (bound.value > budgetMicros) {
      const least = Money.toUsd(bound.value)
      return yield* invalid(
        budgetParam,
        `One call of ${model} may cost $${least}: the budget does not hold the first one`
      )
    }
    return { source, model, budgetMicros } satisfies NonNullable<DatasetVersion["relabel"]>
  })
})
