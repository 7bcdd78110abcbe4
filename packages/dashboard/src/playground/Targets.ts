/** Who can be asked in the playground: the aliases of deployments, their teachers, and the models of sources. */
import type { CatalogModel, Deployment } from "@limbeck/client"
import type { Target } from "./Asking.ts"

export interface NamedTarget extends Target {
  readonly name: string
  /** Its value in a choice. */
  readonly key: string
}

const keyOf = ({ model, source }: Target): string => JSON.stringify([source, model])

const named = (name: string, target: Target): NamedTarget => ({ ...target, name, key: keyOf(target) })

/** Aliases of ready deployments first. */
export const targetsOf = (
  deployments: ReadonlyArray<Deployment>,
  models: ReadonlyArray<CatalogModel>
): ReadonlyArray<NamedTarget> => [
  ...deployments
    .filter(({ status }) => status === "ready")
    .map(({ mode, model }) => named(`${model} (${mode})`, { model, source: null })),
  ...models.map(({ id, source_name }) => named(`${id} of ${source_name}`, { model: id, source: source_name }))
]

/** The first alias beside its teacher; without an alias the first model. */
export const firstPair = (
  deployments: ReadonlyArray<Deployment>,
  targets: ReadonlyArray<NamedTarget>,
  nameOf: (source: string) => string
): readonly [first: string, second: string] => {
  const [first] = targets
  const fallback = deployments.find(({ model, status }) => status === "ready" && model === first?.model)?.fallback
  const teacher = fallback == null ? null : keyOf({ model: fallback.model, source: nameOf(fallback.source) })
  return [first?.key ?? "", targets.some(({ key }) => key === teacher) ? (teacher ?? "") : ""]
}
