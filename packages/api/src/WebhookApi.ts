/** What the webhook engine serves alone: a part of the contract. */
import * as HttpApi from "effect/http-api/HttpApi"
import { EventsApi } from "./EventsApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { TokensApi } from "./TokensApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WhoamiApi } from "./WhoamiApi.ts"

class WebhookApi extends HttpApi.make("service")
  .add(SystemApi)
  .add(WhoamiApi)
  .add(TokensApi)
  .add(EventsApi)
  .add(WebhooksApi) {}

/** This part, as its document presents it. */
export const contract = {
  api: WebhookApi,
  title: "Webhook service",
  description: "Subscribe to events, and be told by signed webhooks.",
  humanOnly: []
} as const
