/** Model lists in one form, for the clients of OpenAI, Anthropic and System One (contract 16.1). Pure. */
import type { CatalogModel } from "@limbeck/capture/source/ModelCatalog"
import { isObject } from "@limbeck/core/json/Json"
import { toIso } from "@limbeck/core/time/Timestamp"
import type * as Schema from "effect/Schema"
import { type Deployment, modelOf } from "../../deployment/Deployment.ts"

export interface ListedModel {
  readonly id: string
  readonly object: "model"
  /** Seconds. */
  readonly created: number
  readonly owned_by: string
  readonly type: "model"
  readonly display_name: string
  readonly created_at: string
}

export interface ModelList {
  readonly object: "list"
  readonly data: ReadonlyArray<ListedModel>
  readonly models: ReadonlyArray<{ readonly name: string; readonly description: string; readonly release_date: string }>
  readonly has_more: false
  readonly first_id: string | null
  readonly last_id: string | null
}

const listed = (id: string, createdAt: number, owner: string): ListedModel => ({
  id,
  object: "model",
  created: Math.floor(createdAt / 1_000),
  owned_by: owner,
  type: "model",
  display_name: id,
  created_at: toIso(createdAt)
})

/** One entry per alias, even with a deployment in each mode, with the time of the first. */
export const ofDeployments = (deployments: ReadonlyArray<Deployment>): ReadonlyArray<ListedModel> => {
  const models = new Map<string, ListedModel>()
  for (const deployment of deployments) {
    if (models.has(deployment.alias)) continue
    models.set(deployment.alias, listed(modelOf(deployment), deployment.createdAt, "deployment"))
  }
  return [...models.values()]
}

export const ofCatalog = ({ id, source }: CatalogModel): ListedModel => listed(id, source.createdAt, source.name)

const dayLength = "2026-11-18".length

/** `description` and `release_date` of System One's clients. */
const describe = ({ created_at, display_name, id }: ListedModel) => ({
  name: id,
  description: display_name,
  release_date: created_at.slice(0, dayLength)
})

export const listOf = (data: ReadonlyArray<ListedModel>): ModelList => ({
  object: "list",
  data,
  models: data.map(describe),
  has_more: false,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null
})

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** Milliseconds, of `created` (OpenAI), `created_at` (Anthropic) or `release_date` (System One); 0 without any. */
const createdAtOf = ({ created, created_at, release_date }: Schema.JsonObject): number => {
  if (typeof created === "number" && created >= 0 && created < 1e11) return created * 1_000
  const parsed = [created_at, release_date].map((text) => (isText(text) ? Date.parse(text) : Number.NaN))
  return parsed.find((time) => time >= 0) ?? 0
}

/** An entry with all its own members and those of the other dialects. */
const completeEntry = (entry: Schema.JsonObject, owner: string): ListedModel | undefined => {
  const id = [entry["id"], entry["name"]].find(isText)
  if (id === undefined) return undefined
  const base = listed(id, createdAtOf(entry), owner)
  return {
    ...entry,
    ...base,
    owned_by: [entry["owned_by"], owner].find(isText) ?? owner,
    display_name: [entry["display_name"], entry["description"]].find(isText) ?? id,
    created_at: [entry["created_at"]].find(isText) ?? base.created_at
  }
}

/** The entries of an upstream's list, in the form of any dialect; undefined for another answer. */
export const entriesOf = (answer: unknown, owner: string): ReadonlyArray<ListedModel> | undefined => {
  if (!isObject(answer)) return undefined
  const entries = [answer["data"], answer["models"]].find((list) => Array.isArray(list))
  if (!Array.isArray(entries)) return undefined
  return entries.flatMap((entry) => (isObject(entry) ? (completeEntry(entry, owner) ?? []) : []))
}
