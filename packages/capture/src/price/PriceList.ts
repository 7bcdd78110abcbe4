/** The prices that a price file states, by the id of a model, and what holds for the model of a source (contract 16.10). */
import * as Context from "effect/Context"
import { modelIdOf, type Source, type SourceModel } from "../source/Source.ts"
import type { Prices, StatedPrices } from "./Price.ts"
import * as PriceRules from "./PriceRules.ts"

/** What a file states of a model. */
export interface FileEntry {
  readonly prices: StatedPrices
  readonly outputTokensMax: number | null
}

export interface PriceTable {
  readonly entries: ReadonlyMap<string, FileEntry>
  /** Whether the operator chose the file. What ships with the program prices `byok` sources alone. */
  readonly isChosen: boolean
}

const emptyTable: PriceTable = { entries: new Map(), isChosen: false }

/** The table in use, which may change while the process runs. */
export class PriceList extends Context.Reference<{ readonly current: () => PriceTable }>(
  "@limbeck/capture/price/PriceList",
  { defaultValue: () => ({ current: () => emptyTable }) }
) {}

type PriceOrigin = "source" | "price_file" | "none"

export interface KnownPrices {
  readonly prices: Prices
  readonly from: PriceOrigin
  readonly outputTokensMax: number | null
}

const entryOf = ({ entries, isChosen }: PriceTable, kind: Source["kind"], id: string): FileEntry | undefined =>
  isChosen || kind === "byok" ? entries.get(id) : undefined

type StatedModel = Partial<Exclude<SourceModel, string>>

/** What the source says of a model is complete but for cached and written input and tiers, which the file fills in. */
const combinePrices = (stated: StatedModel, file: FileEntry | undefined): KnownPrices => {
  const outputTokensMax = stated.max_output_tokens ?? null
  if (PriceRules.isPriced(stated)) {
    return { prices: PriceRules.pricesOf(stated, file?.prices), from: "source", outputTokensMax }
  }
  if (file === undefined) return { prices: PriceRules.noPrices, from: "none", outputTokensMax }
  return {
    prices: PriceRules.pricesOf({ ...file.prices, ...stated }, undefined),
    from: "price_file",
    outputTokensMax: outputTokensMax ?? file.outputTokensMax
  }
}

/** For a model that the source only names. */
const emptyStatement: StatedModel = {}
/** For a model that the file does not have. */
const emptyEntry = {}

/** Results by the source's statement and the file's entry, which do not change: every call asks for them. */
const results = new WeakMap<StatedModel, WeakMap<FileEntry | typeof emptyEntry, KnownPrices>>()

export const ofEntry = (table: PriceTable, kind: Source["kind"], model: SourceModel): KnownPrices => {
  const stated = typeof model === "string" ? emptyStatement : model
  const file = entryOf(table, kind, modelIdOf(model))
  const ofStated = results.get(stated) ?? new WeakMap()
  const known = ofStated.get(file ?? emptyEntry)
  if (known !== undefined) return known
  const result = combinePrices(stated, file)
  results.set(stated, ofStated.set(file ?? emptyEntry, result))
  return result
}

/** Of a model as the source knows it, also where the source does not name it. */
export const of = (table: PriceTable, source: Source, model: string): KnownPrices =>
  ofEntry(table, source.kind, source.models.find((entry) => modelIdOf(entry) === model) ?? model)
