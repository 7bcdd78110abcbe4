/** The form for a relabelled version of the same rows, and the figures of a relabelled version. */
import type { CatalogModel, DatasetVersion } from "@limbeck/client"
import { useState } from "react"
import { useLocation } from "wouter"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, BudgetInput, Select } from "../parts/Ask.tsx"
import { Figure } from "../parts/Facts.tsx"
import { count, quantity, usd } from "../parts/Words.ts"

const answersPerSuspect = 2

/** With all tokens of a row at the dearer price: an upper estimate. */
const costOf = ({ rows, tokens }: DatasetVersion, suspects: number, model: CatalogModel): number => {
  const perMillion = Math.max(model.input_per_million ?? 0, model.output_per_million ?? 0)
  return (suspects * answersPerSuspect * (tokens / Math.max(1, rows)) * perMillion) / 1e6
}

const nameOf = ({ id, source_name }: CatalogModel): string => `${source_name}/${id}`

interface Props {
  readonly version: DatasetVersion
  /** Known so far. */
  readonly suspects: number
}

/** Only models with a price: without one no budget bounds the calls. */
export const RelabelForm = ({ suspects, version }: Props) => {
  const client = useClient()
  const [, go] = useLocation()
  const list = useList(["models"], (cursor) => client.sources.models({ limit: 100, ...cursor }))
  const models = list.items.filter(({ price_from }) => price_from !== "none")
  const [chosen, setChosen] = useState<string>()
  const model = models.find((one) => nameOf(one) === chosen) ?? models[0]
  const act = async (form: FormData) => {
    if (model === undefined) throw new Error("No model has a price: name its prices in a source.")
    const { dataset, dedupe, from, holdout_fraction, redact, seed } = version
    return client.datasetVersions.create(dataset, {
      from,
      dedupe,
      holdout_fraction,
      redact,
      seed,
      clean: "relabel",
      relabel: {
        source: model.source,
        model: model.id,
        budget: { max_cost_usd: Number(form.get("max_cost_usd")) }
      }
    })
  }
  const calls = `At most ${quantity(suspects * answersPerSuspect, "call")} about ${quantity(suspects, "suspect")}`
  return (
    <Ask
      button="Ask a teacher again"
      title="Ask a teacher about the suspects again"
      note={
        model === undefined
          ? "No model of the sources has a price."
          : `${calls}, about ${usd(costOf(version, suspects, model))} or less. Never more than the budget is spent. Two equal answers decide, in a new version of the same rows.`
      }
      does="Make the version"
      act={act}
      done={({ id }) => go(`/data/versions/${id}`)}
    >
      <Select
        label="Model"
        required
        value={model === undefined ? "" : nameOf(model)}
        onChange={({ target }) => setChosen(target.value)}
        options={models.map((one) => [nameOf(one), nameOf(one)])}
      />
      <BudgetInput />
    </Ask>
  )
}

/** Nothing where no teacher was asked. */
export const RelabelFigures = ({ cleaning }: Pick<DatasetVersion, "cleaning">) => {
  const figures = cleaning?.relabel
  if (!figures) return null
  return (
    <div className="figures">
      <Figure name="Asked again" value={count(figures.asked)} note={usd(figures.spent_usd)} />
      <Figure name="Changed" value={count(figures.changed)} note="two new answers agree" />
      <Figure name="Confirmed" value={count(figures.confirmed)} note="a new answer repeats the row's" />
      <Figure name="Undecided" value={count(figures.undecided)} note="kept as they are" />
    </div>
  )
}
