/** `PUT …/content`: any bytes, streamed to storage. The capability in the URL is the authority; without it, a token. */

import { Operation } from "@limbeck/api/Operation"
import { UploadContentApi } from "@limbeck/api/UploadsApi"
import { invalid } from "@limbeck/core/errors/Errors"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Decode from "../http/Decode.ts"
import * as Pipeline from "../http/Pipeline.ts"
import { route } from "../http/Routes.ts"
import { renderer } from "./UploadHandlers.ts"

const endpoint = UploadContentApi.endpoints.put
const facts = Context.getUnsafe(endpoint.annotations as Context.Context<Operation>, Operation)

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const render = yield* renderer

  const authority = Effect.fnUntraced(function* (request: HttpServerRequest, id: string, capability: string | null) {
    if (capability === null) return (yield* Pipeline.admit(request, facts)).caller.partition
    yield* Pipeline.checkVersion(request)
    return yield* uploads.findByCapability(id, capability)
  })

  const put = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const id = params["upload_id"] ?? ""
    const query = yield* Decode.query(request.url)
    const capability = query["capability"] ?? null
    const partition = yield* authority(request, id, capability)
    const content = Stream.mapError(request.stream, () => invalid(null, "The content broke off before its end"))
    const gzipHint = /^(x-)?gzip$/i.test(request.headers["content-encoding"] ?? "")
    const upload = yield* uploads.content(partition, id, capability, content, { gzipHint })
    return HttpServerResponse.jsonUnsafe(yield* render(partition, upload), { status: 202 })
  })

  return route("PUT", endpoint.path, put)
})
