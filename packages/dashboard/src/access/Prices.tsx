/** What the models of the sources cost, and where each price comes from. */
import type { CatalogModel } from "@limbeck/client"
import { type Listing, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Section } from "../parts/Page.tsx"
import { quantity, usd } from "../parts/Words.ts"

const origins: Readonly<Record<CatalogModel["price_from"], string>> = {
  source: "the source",
  price_file: "the price file",
  none: "no price known"
}

const tiersOf = ({ tiers }: CatalogModel): string =>
  Object.entries(tiers)
    .map(([tier, factor]) => `${tier} ×${factor}`)
    .join(", ")

const columns: ReadonlyArray<Column<CatalogModel>> = [
  { name: "Model", of: ({ id }) => id, width: "minmax(8rem, 2fr)" },
  { name: "Source", of: ({ source_name }) => source_name, width: "minmax(6rem, 1fr)", isMinor: true },
  { name: "Input", of: (model) => usd(model.input_per_million), width: "6rem", narrow: "4.5rem", isFigure: true },
  { name: "Output", of: (model) => usd(model.output_per_million), width: "6rem", narrow: "4.5rem", isFigure: true },
  {
    name: "Cached input",
    of: (model) => usd(model.cached_input_per_million),
    width: "7rem",
    isFigure: true,
    isMinor: true
  },
  {
    name: "Cache write",
    of: (model) => usd(model.cache_write_per_million),
    width: "7rem",
    isFigure: true,
    isMinor: true
  },
  { name: "Tiers", of: tiersOf, width: "minmax(6rem, 1fr)", isMinor: true },
  { name: "Price from", of: ({ price_from }) => origins[price_from], width: "9rem", narrow: "7rem" }
]

/** Further pages of a long list may have more of them. */
const Unpriced = ({ hasNextPage, items }: Listing<CatalogModel>) => {
  const unpriced = items.filter(({ price_from }) => price_from === "none").length
  if (unpriced === 0) return null
  const seen = hasNextPage ? ` of the first ${quantity(items.length, "model")}` : ""
  return (
    <p className="soft">
      No price known for {quantity(unpriced, "model")}
      {seen}: calls have no cost, and no saving is computed. Name prices in the source or in the price file.
    </p>
  )
}

/** Nothing where no source names a model. */
export const Prices = () => {
  const client = useClient()
  const list = useList(["models"], (cursor) => client.sources.models({ limit: 100, ...cursor }))
  if (list.isSuccess && list.items.length === 0) return null
  return (
    <Section title="Prices">
      <p className="soft">US dollars for a million tokens.</p>
      <Unpriced {...list} />
      <ItemTable label="Prices" list={list} columns={columns} empty={null} />
    </Section>
  )
}
