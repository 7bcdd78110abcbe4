/** The webhook engine alone: endpoints, deliveries and events, with their tokens. */
import { contract } from "@limbeck/api/WebhookApi"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import * as EventHandlers from "./handlers/internal/EventHandlers.ts"
import * as SystemHandlers from "./handlers/internal/SystemHandlers.ts"
import * as TokenHandlers from "./handlers/internal/TokenHandlers.ts"
import * as WebhookHandlers from "./handlers/internal/WebhookHandlers.ts"
import * as WhoamiHandlers from "./handlers/internal/WhoamiHandlers.ts"
import { routesOf } from "./http/internal/Routes.ts"

export const make = Effect.gen(function* () {
  const routes = routesOf(contract.api, {
    system: yield* SystemHandlers.make(contract),
    whoami: yield* WhoamiHandlers.make,
    tokens: yield* TokenHandlers.make,
    events: yield* EventHandlers.make,
    webhooks: yield* WebhookHandlers.make
  })
  return { app: yield* App.make(routes) } as const
})
