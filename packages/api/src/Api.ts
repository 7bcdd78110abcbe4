/** The whole contract: every endpoint that exists, in groups. The same definitions serve the routes and the document. */
import { humanOnlyOperations } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApi from "effect/http-api/HttpApi"
import { AgentsApi } from "./AgentsApi.ts"
import { BillingApi } from "./BillingApi.ts"
import { CallsApi } from "./CallsApi.ts"
import { ChannelsApi } from "./ChannelsApi.ts"
import { ChatApi, SandboxApi } from "./ChatApi.ts"
import { ConnectorsApi, PullsApi } from "./ConnectorsApi.ts"
import { ConversationsApi } from "./ConversationsApi.ts"
import { DatasetsApi } from "./DatasetsApi.ts"
import { DeploymentsApi } from "./DeploymentsApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { HumanOnlyApi } from "./HumanOnlyApi.ts"
import { LoopsApi } from "./LoopsApi.ts"
import { PeopleApi } from "./PeopleApi.ts"
import { ProxyApi } from "./ProxyApi.ts"
import { RecipesApi } from "./RecipesApi.ts"
import { ReportsApi, SharedReportsApi } from "./ReportsApi.ts"
import { RewardsApi } from "./RewardsApi.ts"
import { RunStreamApi, RunsApi } from "./RunsApi.ts"
import { ScoringApi } from "./ScoringApi.ts"
import { SessionsApi } from "./SessionsApi.ts"
import { SourcesApi } from "./SourcesApi.ts"
import { StudentModelsApi } from "./StudentModelsApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { TokensApi } from "./TokensApi.ts"
import { UploadContentApi, UploadsApi } from "./UploadsApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WhoamiApi } from "./WhoamiApi.ts"
import { WorkspaceApi } from "./WorkspaceApi.ts"

export class Api extends HttpApi.make("service")
  .add(SystemApi)
  .add(WhoamiApi)
  .add(WorkspaceApi)
  .add(TokensApi)
  .add(SourcesApi)
  .add(ProxyApi)
  .add(CallsApi)
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
  .add(PeopleApi) {}

/** The whole contract, as its document presents it. */
export const contract = {
  api: Api,
  title: "Distillation, capture proxy and webhook service",
  description: "Capture model calls, distil them into a cheap student, deploy it, and be told by signed webhooks.",
  humanOnly: humanOnlyOperations
} as const
