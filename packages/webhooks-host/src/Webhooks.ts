/**
 * The webhook engine alone, for a host with its own events: routes for endpoints, deliveries, events and tokens, and the
 * delivery workers.
 */
import * as WebhookLayers from "@limbeck/server/WebhookLayers"
import * as WebhookServer from "@limbeck/server/WebhookServer"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Layer from "effect/Layer"
import * as Host from "./Host.ts"
import * as Platform from "./Platform.ts"

/** What a host decides about the webhook engine: its storage, keys and settings, and its own event types. */
export interface WebhooksOptions extends Platform.PlatformOptions<WebhookPorts>, Host.HostOptions {}
/** The running engine: mount it, publish events, and close it at the end. */
export type Webhooks = Host.Host

/** For an Effect program; `make` is for all others. */
export const layer = (options: Platform.PlatformOptions<WebhookPorts>) => {
  const working = options.workers === false ? Layer.empty : WebhookLayers.working
  return working.pipe(
    Layer.provideMerge(WebhookLayers.services(options.eventTypes)),
    Layer.provideMerge(Platform.layer(options))
  )
}

/** Starts it in this process. Rejects as `Limbeck.make` does, and leaves nothing running then. */
export const make = (options: WebhooksOptions): Promise<Webhooks> =>
  Host.open(layer(options), WebhookServer.make, options).then(({ host }) => host)
