/** The body of a response that is a flow. `node:http` is given the flow itself (see `NodeFlow`), other mounts its stream. */
import * as Flow from "@limbeck/core/bytes/Flow"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export class FlowBody extends HttpBody.Stream {
  readonly flow: Flow.Flow<unknown>

  constructor(flow: Flow.Flow<unknown>, { contentLength, contentType }: HttpBody.Stream) {
    super(Flow.toStream(flow), contentType, contentLength)
    this.flow = flow
  }
}

/** A response whose head leaves before the first piece. */
export const response = (
  flow: Flow.Flow<unknown>,
  options: HttpServerResponse.Options
): HttpServerResponse.HttpServerResponse => {
  const streamed = HttpServerResponse.stream(Flow.toStream(flow), options)
  const { body } = streamed
  return body._tag === "Stream" ? HttpServerResponse.setBody(streamed, new FlowBody(flow, body)) : streamed
}
