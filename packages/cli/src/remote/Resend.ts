/** `limbeck webhooks resend`: one delivery again, or all that an endpoint did not take since a time. */
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"

export interface ResendOptions {
  readonly endpoint: string
  readonly delivery?: string | undefined
  /** ISO 8601, in UTC. */
  readonly since?: string | undefined
}

export const resend =
  ({ delivery, endpoint, since }: ResendOptions): Command =>
  async (client, output) => {
    if ((delivery === undefined) === (since === undefined))
      throw new CommandError("Name a delivery, or --since a time: one of them")
    if (delivery !== undefined) {
      const again = await client.deliveries.redeliver(endpoint, delivery)
      output.result(again, `${again.id} ${again.status}: ${again.event_type} ${again.event_id}`)
    }
    if (since !== undefined) {
      const recovery = await client.webhookEndpoints.recover(endpoint, { since })
      output.result(recovery, `${recovery.queued} deliveries are on their way again`)
    }
    return 0
  }
