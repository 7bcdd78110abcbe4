/** The whole server: every route of the contract. */
import { contract } from "@limbeck/api/Api"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import * as AgentHandlers from "./handlers/internal/AgentHandlers.ts"
import * as AssistantHandlers from "./handlers/internal/AssistantHandlers.ts"
import * as BillingHandlers from "./handlers/internal/BillingHandlers.ts"
import * as CallHandlers from "./handlers/internal/CallHandlers.ts"
import * as ChannelHandlers from "./handlers/internal/ChannelHandlers.ts"
import * as ChatHandlers from "./handlers/internal/ChatHandlers.ts"
import * as ConnectorHandlers from "./handlers/internal/ConnectorHandlers.ts"
import * as ConversationHandlers from "./handlers/internal/ConversationHandlers.ts"
import * as DatasetHandlers from "./handlers/internal/DatasetHandlers.ts"
import * as DeploymentHandlers from "./handlers/internal/DeploymentHandlers.ts"
import * as EventHandlers from "./handlers/internal/EventHandlers.ts"
import * as HumanOnlyHandlers from "./handlers/internal/HumanOnlyHandlers.ts"
import * as LoopHandlers from "./handlers/internal/LoopHandlers.ts"
import * as MetricHandlers from "./handlers/internal/MetricHandlers.ts"
import * as PeopleHandlers from "./handlers/internal/PeopleHandlers.ts"
import * as ProxyHandlers from "./handlers/internal/ProxyHandlers.ts"
import * as PullHandlers from "./handlers/internal/PullHandlers.ts"
import * as RecipeHandlers from "./handlers/internal/RecipeHandlers.ts"
import * as ReportHandlers from "./handlers/internal/ReportHandlers.ts"
import * as ReviewHandlers from "./handlers/internal/ReviewHandlers.ts"
import * as RewardHandlers from "./handlers/internal/RewardHandlers.ts"
import * as RunHandlers from "./handlers/internal/RunHandlers.ts"
import * as RunStreamHandlers from "./handlers/internal/RunStreamHandlers.ts"
import * as ScoringHandlers from "./handlers/internal/ScoringHandlers.ts"
import * as SessionHandlers from "./handlers/internal/SessionHandlers.ts"
import * as SharedReportHandlers from "./handlers/internal/SharedReportHandlers.ts"
import * as SourceHandlers from "./handlers/internal/SourceHandlers.ts"
import * as StudentModelHandlers from "./handlers/internal/StudentModelHandlers.ts"
import * as SystemHandlers from "./handlers/internal/SystemHandlers.ts"
import * as TokenHandlers from "./handlers/internal/TokenHandlers.ts"
import * as UploadContentHandlers from "./handlers/internal/UploadContentHandlers.ts"
import * as UploadHandlers from "./handlers/internal/UploadHandlers.ts"
import * as WebhookHandlers from "./handlers/internal/WebhookHandlers.ts"
import * as WhoamiHandlers from "./handlers/internal/WhoamiHandlers.ts"
import * as WorkspaceHandlers from "./handlers/internal/WorkspaceHandlers.ts"
import { routesOf } from "./http/internal/Routes.ts"
import * as Mounts from "./Mounts.ts"

export const make = Effect.gen(function* () {
  const recorder = yield* Recorder
  const capture = Effect.map(recorder.figures, (figures) => ({ capture: figures }))
  const stream = yield* RunStreamHandlers.make
  const { chat, sandbox } = yield* ChatHandlers.make
  const assistant = yield* AssistantHandlers.make
  const routes = routesOf(contract.api, {
    system: yield* SystemHandlers.make(contract, capture),
    whoami: yield* WhoamiHandlers.make,
    workspace: yield* WorkspaceHandlers.make,
    tokens: yield* TokenHandlers.make,
    sources: yield* SourceHandlers.make,
    proxy: yield* ProxyHandlers.make,
    calls: yield* CallHandlers.make,
    metrics: yield* MetricHandlers.make,
    loops: yield* LoopHandlers.make,
    uploads: yield* UploadHandlers.make,
    upload_content: yield* UploadContentHandlers.make,
    connectors: yield* ConnectorHandlers.make,
    pulls: yield* PullHandlers.make,
    datasets: yield* DatasetHandlers.make,
    rewards: yield* RewardHandlers.make,
    recipes: yield* RecipeHandlers.make,
    runs: yield* RunHandlers.make,
    run_stream: stream.handlers,
    reports: yield* ReportHandlers.make,
    shared_reports: yield* SharedReportHandlers.make,
    scoring: yield* ScoringHandlers.make,
    student_models: yield* StudentModelHandlers.make,
    deployments: yield* DeploymentHandlers.make,
    reviews: yield* ReviewHandlers.make,
    chat,
    sandbox,
    agents: yield* AgentHandlers.make,
    conversations: yield* ConversationHandlers.make,
    channels: yield* ChannelHandlers.make,
    events: yield* EventHandlers.make,
    webhooks: yield* WebhookHandlers.make,
    billing: yield* BillingHandlers.make,
    human_only: yield* HumanOnlyHandlers.make,
    sessions: yield* SessionHandlers.make,
    people: yield* PeopleHandlers.make,
    assistant: assistant.assistant,
    assistant_step: assistant.step
  })
  /** `endStreams`: for the one who stops the server, before waiting for requests under way. */
  const app = yield* App.make(routes)
  assistant.open(Mounts.fetch(app))
  return { app, endStreams: stream.end } as const
})
