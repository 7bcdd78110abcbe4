/** `limbeck prices`: what each model of the sources costs, and where each price comes from. */
import type { CatalogModel } from "@limbeck/client"
import { printList } from "./Listing.ts"
import type { Command } from "./Remote.ts"

const origins: Readonly<Record<CatalogModel["price_from"], string>> = {
  source: "from the source",
  price_file: "from the price file",
  none: "no price is known"
}

/** Dollars for a million tokens; without what follows from input. */
const pricesOf = (model: CatalogModel): ReadonlyArray<string> => {
  const { input_per_million: input } = model
  const prices: ReadonlyArray<readonly [name: string, price: number | null]> = [
    ["input", input],
    ["output", model.output_per_million],
    ["cached", model.cached_input_per_million === input ? null : model.cached_input_per_million],
    ["write", model.cache_write_per_million === input ? null : model.cache_write_per_million]
  ]
  const dollars = prices.flatMap(([name, price]) => (price === null ? [] : [`${name} $${price}`]))
  const tiers = Object.entries(model.tiers).map(([tier, factor]) => `${tier} ×${factor}`)
  return [...dollars, ...tiers]
}

const lineOf = (model: CatalogModel): string =>
  [`${model.source_name}/${model.id}`, ...pricesOf(model), `(${origins[model.price_from]})`].join("  ")

export const list: Command = (client, output) =>
  printList(output, client.sources.models(), lineOf, "No source names a model yet: limbeck source add takes --models")
