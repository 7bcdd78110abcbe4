/**
 * The webhook engine alone, for a host with its own events: routes for endpoints, deliveries, events and tokens, and the
 * delivery workers.
 */
import type { EventType } from "@limbeck/core/events/Event"
import * as WebhookLayers from "@limbeck/server/WebhookLayers"
import * as WebhookServer from "@limbeck/server/WebhookServer"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Layer from "effect/Layer"
import * as Host from "./Host.ts"
import * as Platform from "./Platform.ts"

/** What a host decides about the webhook engine: its storage, keys and settings, and its own event types. */
export interface WebhooksOptions extends Platform.PlatformOptions<WebhookPorts>, Host.HostOptions {}
/** The running engine: mount it, publish events, and close it at the end. */
export type Webhooks<Types extends EventType = EventType> = Host.Host<Types>

/** For an Effect program; `make` is for all others. */
export const layer = (options: Platform.PlatformOptions<WebhookPorts>) => {
  const working = options.workers === false ? Layer.empty : WebhookLayers.workersLayer
  return working.pipe(
    Layer.provideMerge(WebhookLayers.services(options.eventTypes)),
    Layer.provideMerge(Platform.layer(options))
  )
}

/** Starts it in this process. `events.publish` knows the types of `eventTypes`. Rejects as `Limbeck.make` does, and leaves nothing running then. */
export const make = <const Types extends EventType = EventType>(
  options: WebhooksOptions & { readonly eventTypes?: ReadonlyArray<Types> }
): Promise<Webhooks<Types>> => Host.open(layer(options), WebhookServer.make, options).then(({ host }) => host)
