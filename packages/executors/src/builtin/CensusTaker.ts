/** Counts what rows are to the builtin student: it reads them as a training does, and remembers how many rows have a feature. */
import { curve } from "@limbeck/distill/dataset/Census"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import type { CensusTaker } from "@limbeck/distill/recipe/StudentProbe"
import * as Result from "effect/Result"
import { exampleOf } from "./BuiltinExecutor.ts"
import * as Features from "./internal/Features.ts"
import { partsOf, type Turn } from "./internal/Text.ts"
import * as Settings from "./Settings.ts"

/** Characters of each that are read. */
const readOf = (turns: ReadonlyArray<Turn>, charactersMax: number) => {
  const { context, request } = partsOf(turns)
  const said = context.reduce((sum, { text }) => sum + text.length, 0)
  return { request: Math.min(request.length, charactersMax), context: Math.min(said, charactersMax) }
}

export const make = (): CensusTaker => {
  const { bits, charactersMax } = Settings.defaults
  const featurizer = Features.make({ bits, charactersMax })
  /** How many rows have the feature of a place. */
  const rowsWith = new Uint32Array(2 ** bits)
  const completions = LabelRules.counter()
  const read = { rows: 0, requestCharacters: 0, contextCharacters: 0, features: 0 }

  const add: CensusTaker["add"] = (row) => {
    const { label, turns } = exampleOf(row)
    completions.add(label)
    const { context, request } = readOf(turns, charactersMax)
    const { counts, length, places } = featurizer.count(turns)
    for (let k = 0; k < length; k++) if (counts[k] !== 0) rowsWith[places[k]!] = rowsWith[places[k]!]! + 1
    read.rows++
    read.requestCharacters += request
    read.contextCharacters += context
    read.features += length
  }

  return {
    add,
    characters: () => read.requestCharacters + read.contextCharacters,
    census: () => {
      const met = rowsWith.filter((rows) => rows > 0)
      const learnt = met
        .filter((rows) => rows > 1 && rows < read.rows)
        .sort()
        .reverse()
      const beyond = Array.from({ length: curve.places }, (_, power) =>
        learnt.subarray(2 ** (curve.first + power)).reduce((sum, rows) => sum + rows, 0)
      )
      const single = read.rows === 1 ? 0 : met.filter((rows) => rows === 1).length
      const everywhere = met.length - single - learnt.length
      const closed = LabelRules.close(completions.seen())
      const labels = Result.isSuccess(closed) ? closed.success.labels.length : closed.failure.different
      return { ...read, different: met.length, single, everywhere, beyond, labels }
    }
  }
}
