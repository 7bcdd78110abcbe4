/**
 * `PUT …/content`: any bytes, streamed to storage, whole or by ranges; `HEAD` says where the next range begins. The
 * capability in the URL is the authority; without it, a token.
 */

import { factsOf } from "@limbeck/api/Operation"
import { UploadContentApi } from "@limbeck/api/UploadsApi"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import type { ContentRange } from "@limbeck/distill/upload/Arrival"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Decode from "../http/Decode.ts"
import * as Pipeline from "../http/Pipeline.ts"
import { route } from "../http/Routes.ts"
import { renderer } from "./UploadHandlers.ts"

const { head: headEndpoint, put: endpoint } = UploadContentApi.endpoints
const facts = factsOf(endpoint.annotations)

const rangePattern = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i

/** `bytes 0-99/1000` (RFC 9110, 14.4); `*` while the whole is not known. */
const contentRange = (header: string | undefined): Effect.Effect<ContentRange | undefined, InvalidInput> => {
  if (header === undefined) return Effect.undefined
  const [, first, last, whole] = rangePattern.exec(header) ?? []
  const [from, to, total] = [Number(first), Number(last), whole === "*" ? null : Number(whole)]
  return whole === undefined || from > to || (total !== null && to >= total)
    ? invalid("Content-Range", "A range is bytes <first>-<last>/<total, or *>, counted from 0")
    : Effect.succeed({ from, to, total })
}

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const render = yield* renderer

  const authority = Effect.fnUntraced(function* (request: HttpServerRequest, id: string, capability: string | null) {
    if (capability === null) return (yield* Pipeline.admit(request, facts)).partition
    yield* Pipeline.checkVersion(request)
    return yield* uploads.findByCapability(id, capability)
  })

  /** Whose upload the request is about. */
  const target = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const id = params["upload_id"] ?? ""
    const query = yield* Decode.query(request.url)
    const capability = query["capability"] ?? null
    return { request, id, capability, partition: yield* authority(request, id, capability) }
  })

  const put = Effect.gen(function* () {
    const { capability, id, partition, request } = yield* target
    const range = yield* contentRange(request.headers["content-range"])
    const content = Stream.mapError(request.stream, () => invalid(null, "The content broke off before its end"))
    const gzipHint = /^(x-)?gzip$/i.test(request.headers["content-encoding"] ?? "")
    const upload = yield* uploads.content(partition, id, capability, content, {
      gzipHint,
      length: Number(request.headers["content-length"] ?? 0),
      ...(range === undefined ? {} : { range })
    })
    return HttpServerResponse.jsonUnsafe(yield* render(partition, upload), { status: 202 })
  })

  const head = Effect.gen(function* () {
    const { id, partition } = yield* target
    const upload = yield* uploads.get(partition, id)
    const received = yield* uploads.received(partition, upload)
    return HttpServerResponse.empty({
      status: 200,
      headers: { "upload-offset": String(received), "cache-control": "no-store" }
    })
  })

  return [route("PUT", endpoint.path, put), route("HEAD", headEndpoint.path, head)]
})
