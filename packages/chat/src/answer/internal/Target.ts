/** The source and model that answer: the agent's, or the default source and its first named model (contract 14.27). */
import { NoDefaultSource } from "@limbeck/capture/Errors"
import { modelIdOf } from "@limbeck/capture/source/Source"
import { Sources } from "@limbeck/capture/source/Sources"
import { type ReferenceUnknown, referenceUnknown, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { modelPrefix } from "@limbeck/serving/deployment/Deployment"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Agent } from "../../agent/Agent.ts"
import { NoModel } from "../../Errors.ts"

export interface Target {
  /** An id; null: the model is an alias of ours, without a source. */
  readonly source: string | null
  readonly model: string
}

export type NoTarget = NoDefaultSource | ReferenceUnknown | NoModel | StorageError

/** The request field that selects another source or model. */
export const targetField = "agent"

export const make = Effect.map(Sources, (sources) =>
  Effect.fnUntraced(function* (partition: Partition, agent: Agent | null): Effect.fn.Return<Target, NoTarget> {
    const model = agent?.model ?? null
    if (model?.startsWith(modelPrefix)) return { source: null, model }
    const named = agent?.source ?? null
    const found = yield* sources.recall(partition, named)
    if (Option.isNone(found)) {
      return yield* named === null
        ? new NoDefaultSource({ field: targetField })
        : referenceUnknown("source", named, targetField)
    }
    const { id: source, models, name } = found.value
    if (model !== null) return { source, model }
    const [first] = models
    return first === undefined ? yield* new NoModel({ source: name }) : { source, model: modelIdOf(first) }
  })
)
