/** The webhook engine alone: endpoints, deliveries and events, and the tokens that they are reached with. */
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import * as EventHandlers from "./handlers/EventHandlers.ts"
import * as SystemRoutes from "./handlers/SystemRoutes.ts"
import * as TokenHandlers from "./handlers/TokenHandlers.ts"
import * as WebhookHandlers from "./handlers/WebhookHandlers.ts"
import * as WhoamiHandlers from "./handlers/WhoamiHandlers.ts"
import { routesOf } from "./http/Routes.ts"

export const make = Effect.gen(function* () {
  const routes = routesOf({
    whoami: yield* WhoamiHandlers.make,
    tokens: yield* TokenHandlers.make,
    events: yield* EventHandlers.make,
    webhooks: yield* WebhookHandlers.make
  })
  return yield* App.make([...routes, ...(yield* SystemRoutes.make(OpenApiDocument.webhooks))])
})
