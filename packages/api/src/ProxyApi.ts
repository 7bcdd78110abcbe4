/** The proxy (service-api 4.2, contract 7): bodies pass as they are, so the shapes are the upstream's. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { at, operation, writeErrors } from "./Operation.ts"

const header = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const source = header("A source by its name or id; absent: the default one")

/** Each is the default brand's; a host of another name has its own. */
const headers = {
  "X-Service-Source": source,
  "X-Service-Tags": header("Labels of the call, with commas between them: at most 16, each of at most 64 characters"),
  "X-Service-External-Id": header("The caller's own key of the call, at most 255 characters; it is echoed")
}

const passed = [
  Schema.JsonObject.annotate({ description: "What the upstream answers, as it is" }),
  Schema.String.annotate({ description: "The upstream's stream, byte for byte" }).pipe(
    HttpApiSchema.asText({ contentType: "text/event-stream" })
  )
] as const

const error = [...writeErrors, at(502), at(504)] as const

const facts = { access: "proxy:write", workflowStage: "capture" } as const

const payload = Schema.JsonObject.annotate({
  description: "What the upstream takes, passed on byte for byte; a model of the form svc:<alias> is a deployment"
})

export class ProxyApi extends HttpApiGroup.make("proxy")
  .add(
    HttpApiEndpoint.post("chatCompletions", "/v1/proxy/chat/completions", {
      headers,
      payload,
      success: passed,
      error
    }).annotateMerge(operation("proxyChatCompletions", "A chat completion by a source, streamed if asked", facts))
  )
  .add(
    HttpApiEndpoint.post("embeddings", "/v1/proxy/embeddings", {
      headers,
      payload,
      success: passed,
      error
    }).annotateMerge(operation("proxyEmbeddings", "Embeddings by a source", facts))
  )
  .add(
    HttpApiEndpoint.post("responses", "/v1/proxy/responses", {
      headers,
      payload,
      success: passed,
      error
    }).annotateMerge(operation("proxyResponses", "A response by a source, streamed if asked", facts))
  )
  .add(
    HttpApiEndpoint.get("models", "/v1/proxy/models", {
      headers: { "X-Service-Source": source },
      success: Schema.JsonObject.annotate({
        description: "The models of the source, and svc:<alias> of what is deployed"
      }),
      error
    }).annotateMerge(operation("proxyModels", "The models of a source, as a chat-completions client asks", facts))
  ) {}
