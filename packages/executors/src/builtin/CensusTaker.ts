/** Takes the census of a version: reads its rows like a training, and counts the rows of each feature. */
import * as AnswerCounter from "@limbeck/distill/dataset/AnswerCounter"
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import { curve } from "@limbeck/distill/dataset/Census"
import type { CensusTaker } from "@limbeck/distill/recipe/StudentProbe"
import * as Result from "effect/Result"
import * as Features from "./internal/Features.ts"
import * as Reading from "./internal/Reading.ts"
import { partsOf, type Turn } from "./internal/Text.ts"
import { exampleOf, isRead } from "./RowReading.ts"
import * as Settings from "./Settings.ts"

const charactersOf = (turns: ReadonlyArray<Turn>): number => turns.reduce((sum, { text }) => sum + text.length, 0)

export const make = (): CensusTaker => {
  const { bits, charactersMax } = Settings.defaults
  const featurizer = Features.make({ bits, charactersMax })
  /** The census reads the rows at the end, because it skips the text that all rows share. */
  const rows: Array<ReadonlyArray<Turn>> = []
  const completions = AnswerCounter.make()
  let characters = 0

  const add: CensusTaker["add"] = (row) => {
    if (!isRead(row)) return
    const { label, turns } = exampleOf(row)
    completions.add(label, partsOf(turns).request)
    rows.push(turns)
    characters += Math.min(charactersOf(turns), 2 * charactersMax)
  }

  /** Reads the rows, and counts the rows of each feature. */
  const readAll = () => {
    const template = Reading.find(rows.slice(0, Reading.sample.rows))
    const rowsWith = new Uint32Array(2 ** bits)
    const read = { rows: rows.length, cut: 0, requestCharacters: 0, contextCharacters: 0, features: 0 }
    for (const turns of rows) {
      const { isCut, turns: kept } = Reading.read(turns, template, charactersMax)
      const { context, request } = partsOf(kept)
      const { counts, length, places } = featurizer.count(kept)
      for (let k = 0; k < length; k++) if (counts[k] !== 0) rowsWith[places[k]!] = rowsWith[places[k]!]! + 1
      read.cut += Number(isCut)
      read.requestCharacters += request.length
      read.contextCharacters += Math.min(charactersOf(context), charactersMax)
      read.features += length
    }
    return { read, rowsWith }
  }

  return {
    add,
    characters: () => characters,
    census: () => {
      const { read, rowsWith } = readAll()
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
      const closed = completions.close()
      const labels = Result.isSuccess(closed) ? AnswerRules.countOf(closed.success).labels : closed.failure.different
      return { ...read, different: met.length, single, everywhere, beyond, labels }
    }
  }
}
