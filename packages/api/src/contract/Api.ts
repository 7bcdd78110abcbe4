/** The whole contract: every endpoint that exists, in groups. The same definitions serve the routes and the document. */
import { humanOnlyOperations } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApi from "effect/http-api/HttpApi"
import { AssistantApi, AssistantStepApi } from "../access/AssistantApi.ts"
import { PeopleApi } from "../access/PeopleApi.ts"
import { SessionsApi } from "../access/SessionsApi.ts"
import { TokensApi } from "../access/TokensApi.ts"
import { WhoamiApi } from "../access/WhoamiApi.ts"
import { WorkspaceApi } from "../access/WorkspaceApi.ts"
import { BillingApi } from "../billing/BillingApi.ts"
import { CallsApi } from "../capture/CallsApi.ts"
import { MetricsApi } from "../capture/MetricsApi.ts"
import { ProxyApi } from "../capture/ProxyApi.ts"
import { SourcesApi } from "../capture/SourcesApi.ts"
import { AgentsApi } from "../chat/AgentsApi.ts"
import { ChannelsApi } from "../chat/ChannelsApi.ts"
import { ChatApi, SandboxApi } from "../chat/ChatApi.ts"
import { ConversationsApi } from "../chat/ConversationsApi.ts"
import { ConnectorsApi, PullsApi } from "../distill/ConnectorsApi.ts"
import { DatasetsApi } from "../distill/DatasetsApi.ts"
import { HumanOnlyApi } from "../distill/HumanOnlyApi.ts"
import { RecipesApi } from "../distill/RecipesApi.ts"
import { ReportsApi, SharedReportsApi } from "../distill/ReportsApi.ts"
import { RewardsApi } from "../distill/RewardsApi.ts"
import { RunStreamApi, RunsApi } from "../distill/RunsApi.ts"
import { ScoringApi } from "../distill/ScoringApi.ts"
import { StudentModelsApi } from "../distill/StudentModelsApi.ts"
import { UploadContentApi, UploadsApi } from "../distill/UploadsApi.ts"
import { DeploymentsApi } from "../serving/DeploymentsApi.ts"
import { LoopsApi } from "../serving/LoopsApi.ts"
import { ReviewsApi } from "../serving/ReviewsApi.ts"
import { EventsApi } from "../webhooks/EventsApi.ts"
import { WebhooksApi } from "../webhooks/WebhooksApi.ts"
import { SystemApi } from "./SystemApi.ts"

export class Api extends HttpApi.make("service")
  .add(SystemApi)
  .add(WhoamiApi)
  .add(WorkspaceApi)
  .add(TokensApi)
  .add(SourcesApi)
  .add(ProxyApi)
  .add(CallsApi)
  .add(MetricsApi)
  .add(LoopsApi)
  .add(UploadsApi)
  .add(UploadContentApi)
  .add(ConnectorsApi)
  .add(PullsApi)
  .add(DatasetsApi)
  .add(RewardsApi)
  .add(RecipesApi)
  .add(RunsApi)
  .add(RunStreamApi)
  .add(ReportsApi)
  .add(SharedReportsApi)
  .add(ScoringApi)
  .add(StudentModelsApi)
  .add(DeploymentsApi)
  .add(ReviewsApi)
  .add(ChatApi)
  .add(SandboxApi)
  .add(AgentsApi)
  .add(ConversationsApi)
  .add(ChannelsApi)
  .add(EventsApi)
  .add(WebhooksApi)
  .add(BillingApi)
  .add(HumanOnlyApi)
  .add(SessionsApi)
  .add(PeopleApi)
  .add(AssistantApi)
  .add(AssistantStepApi) {}

/** The whole contract, in the form of its document. */
export const contract = {
  api: Api,
  title: "Distillation, capture proxy and webhook service",
  description: "Capture model calls, distil them into a cheap student, deploy it, and be told by signed webhooks.",
  humanOnly: humanOnlyOperations
} as const
