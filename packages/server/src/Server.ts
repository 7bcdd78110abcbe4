/** The whole server: every route of the contract. */
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import * as CallHandlers from "./handlers/CallHandlers.ts"
import * as ConnectorHandlers from "./handlers/ConnectorHandlers.ts"
import * as DatasetHandlers from "./handlers/DatasetHandlers.ts"
import * as DeploymentHandlers from "./handlers/DeploymentHandlers.ts"
import * as EventHandlers from "./handlers/EventHandlers.ts"
import * as HumanOnlyHandlers from "./handlers/HumanOnlyHandlers.ts"
import * as LoopHandlers from "./handlers/LoopHandlers.ts"
import * as ProxyRoutes from "./handlers/ProxyRoutes.ts"
import * as PullHandlers from "./handlers/PullHandlers.ts"
import * as RecipeHandlers from "./handlers/RecipeHandlers.ts"
import * as ReportHandlers from "./handlers/ReportHandlers.ts"
import * as RewardHandlers from "./handlers/RewardHandlers.ts"
import * as RunHandlers from "./handlers/RunHandlers.ts"
import * as RunStream from "./handlers/RunStream.ts"
import * as SharedReport from "./handlers/SharedReport.ts"
import * as SourceHandlers from "./handlers/SourceHandlers.ts"
import * as StudentModelHandlers from "./handlers/StudentModelHandlers.ts"
import * as SystemRoutes from "./handlers/SystemRoutes.ts"
import * as TokenHandlers from "./handlers/TokenHandlers.ts"
import * as UploadContentRoute from "./handlers/UploadContentRoute.ts"
import * as UploadHandlers from "./handlers/UploadHandlers.ts"
import * as WebhookHandlers from "./handlers/WebhookHandlers.ts"
import * as WhoamiHandlers from "./handlers/WhoamiHandlers.ts"
import { routesOf } from "./http/Routes.ts"

export const make = Effect.gen(function* () {
  const routes = routesOf({
    whoami: yield* WhoamiHandlers.make,
    tokens: yield* TokenHandlers.make,
    sources: yield* SourceHandlers.make,
    calls: yield* CallHandlers.make,
    loops: yield* LoopHandlers.make,
    uploads: yield* UploadHandlers.make,
    connectors: yield* ConnectorHandlers.make,
    pulls: yield* PullHandlers.make,
    datasets: yield* DatasetHandlers.make,
    rewards: yield* RewardHandlers.make,
    recipes: yield* RecipeHandlers.make,
    runs: yield* RunHandlers.make,
    reports: yield* ReportHandlers.make,
    student_models: yield* StudentModelHandlers.make,
    deployments: yield* DeploymentHandlers.make,
    events: yield* EventHandlers.make,
    webhooks: yield* WebhookHandlers.make,
    human_only: HumanOnlyHandlers.handlers
  })
  const content = yield* UploadContentRoute.make
  const stream = yield* RunStream.make
  const shared = yield* SharedReport.make
  const proxy = yield* ProxyRoutes.make
  const system = yield* SystemRoutes.make(OpenApiDocument.whole)
  const { app } = yield* App.make([...routes, ...content, stream.route, shared, ...proxy, ...system])
  /** `endStreams`: to be called by who stops the server, before waiting for requests under way. */
  return { app, endStreams: stream.end } as const
})
