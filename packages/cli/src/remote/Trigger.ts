/** `limbeck trigger`: sends a test event of one type to the endpoints of test mode that subscribe to it, and shows the responses. */
import type { Client, WebhookEndpoint, WebhookPing } from "@limbeck/client"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"

export interface TriggerOptions {
  readonly type: string
  /** By default every enabled endpoint that subscribes to the type. */
  readonly endpoint?: string | undefined
}

const subscribes = ({ enabled_events, status }: WebhookEndpoint, type: string): boolean =>
  status === "enabled" && enabled_events.some((pattern) => EventPattern.matches(pattern, type))

const assertKnown = async (client: Client, type: string): Promise<void> => {
  const names = (await client.events.types().all()).map((known) => known.type)
  if (names.includes(type)) return
  throw new CommandError(`There is no event type ${type}; the nearest is ${EventPattern.nearest(type, names)}`)
}

const subscribers = async (client: Client, type: string): Promise<ReadonlyArray<string>> => {
  await assertKnown(client, type)
  const ids: Array<string> = []
  for await (const endpoint of client.webhookEndpoints.list()) if (subscribes(endpoint, type)) ids.push(endpoint.id)
  if (ids.length > 0) return ids
  throw new CommandError(
    `No enabled endpoint of this mode subscribes to ${type}; limbeck webhooks listen --forward-to URL makes one`
  )
}

const responseOf = ({ duration_ms, error, status_code }: WebhookPing): string =>
  `${status_code ?? "no response"} in ${duration_ms} ms${error === null ? "" : `, ${error}`}`

export const trigger =
  ({ endpoint, type }: TriggerOptions): Command =>
  async (client, output) => {
    const endpoints = endpoint === undefined ? await subscribers(client, type) : [endpoint]
    let code = 0
    for (const id of endpoints) {
      const ping = await client.webhookEndpoints.ping(id, { type })
      output.result({ endpoint: id, type, ...ping }, `${type} ${id} -> ${responseOf(ping)}`)
      if (!ping.delivered) code = 1
    }
    return code
  }
