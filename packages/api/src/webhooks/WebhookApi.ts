/** What the webhook engine serves alone: a part of the contract. */
import * as HttpApi from "effect/http-api/HttpApi"
import { TokensApi } from "../access/TokensApi.ts"
import { WhoamiApi } from "../access/WhoamiApi.ts"
import { SystemApi } from "../contract/SystemApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

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
