/** What the palette offers: pages, and resources by their names. */
import { ApiError, type Client } from "@limbeck/client"
import type { Service } from "../app/PageTable.ts"
import { placeOf } from "./Ids.ts"

export interface Entry {
  readonly place: string
  readonly kind: string
  readonly name: string
}

/** One page of the API for each kind: an older resource is found by its id. */
const limit = 100

/** A resource without a name is listed by its id. */
interface Named {
  readonly id: string
  readonly name: string | null
}

interface Kind {
  readonly kind: string
  readonly isOfWebhooks: boolean
  readonly read: (client: Client) => Promise<ReadonlyArray<Named>>
}

const kinds: ReadonlyArray<Kind> = [
  {
    kind: "Dataset",
    isOfWebhooks: false,
    read: async (client) => (await client.datasets.list({ limit }).page()).data
  },
  {
    kind: "Connector",
    isOfWebhooks: false,
    read: async (client) => (await client.connectors.list({ limit }).page()).data
  },
  {
    kind: "Run",
    isOfWebhooks: false,
    read: async (client) => (await client.runs.list({ limit }).page()).data
  },
  {
    kind: "Student",
    isOfWebhooks: false,
    read: async (client) => (await client.studentModels.list({ limit }).page()).data
  },
  {
    kind: "Deployment",
    isOfWebhooks: false,
    read: async (client) =>
      (await client.deployments.list({ limit }).page()).data.map(({ alias, id }) => ({ id, name: alias }))
  },
  {
    kind: "Source",
    isOfWebhooks: false,
    read: async (client) => (await client.sources.list({ limit }).page()).data
  },
  {
    kind: "Endpoint",
    isOfWebhooks: true,
    read: async (client) =>
      (await client.webhookEndpoints.list({ limit }).page()).data.map(({ description, id, url }) => ({
        id,
        name: description === "" ? url : `${url} ${description}`
      }))
  }
]

/** A token may lack the scope to list a kind, which is then left out. */
const orNone = (error: unknown) => {
  if (error instanceof ApiError && error.status === 403) return []
  throw error
}

export const readEntries = async (client: Client, service: Service): Promise<ReadonlyArray<Entry>> => {
  const read = kinds.filter(({ isOfWebhooks }) => service === "whole" || isOfWebhooks)
  const lists = await Promise.all(
    read.map(async ({ kind, read: list }) =>
      (await list(client).catch(orNone)).flatMap(({ id, name }) => {
        const place = placeOf(id, service)
        return place === null ? [] : [{ kind, name: name ?? id, place }]
      })
    )
  )
  return lists.flat()
}

/** The list fits on a screen without scrolling, and holds every page of the navigation. */
const foundMax = 16

/** Those that have every word of the query in kind or name, names that begin with it first. */
export const findEntries = (entries: ReadonlyArray<Entry>, query: string): ReadonlyArray<Entry> => {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const found = entries.filter(({ kind, name }) => {
    const text = `${kind} ${name}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const isFirst = ({ name }: Entry) => name.toLowerCase().startsWith(wanted)
  return [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))].slice(0, foundMax)
}

/** Asks each endpoint, because the id of a delivery does not name its endpoint; null where none has it. */
export const findDelivery = async (client: Client, id: string): Promise<Entry | null> => {
  const endpoints = (await client.webhookEndpoints.list({ limit }).page()).data
  const places = await Promise.all(
    endpoints.map((endpoint) =>
      client.deliveries.get(endpoint.id, id).then(
        () => [`/webhooks/${endpoint.id}/${id}`],
        (error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return []
          throw error
        }
      )
    )
  )
  const [place] = places.flat()
  return place === undefined ? null : { kind: "Delivery", name: id, place }
}
