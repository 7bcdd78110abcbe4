/**
 * `PUT …/content`: any bytes, streamed to storage, whole or by ranges; `HEAD` says where the next range begins. The
 * capability in the URL is the authority; without it, a token.
 */

import { factsOf } from "@limbeck/api/Operation"
import { UploadContentApi } from "@limbeck/api/UploadsApi"
import { type InvalidInput, invalid, notFound } from "@limbeck/core/errors/Errors"
import { type ContentRange, finalRange } from "@limbeck/distill/upload/ContentRange"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import * as Query from "../../http/internal/Query.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { responsesOf } from "../../http/internal/Routes.ts"
import { Limits } from "../../internal/Limits.ts"
import { renderer } from "./UploadHandlers.ts"

const facts = factsOf(UploadContentApi.endpoints.put.annotations)

const hasNoBody = (headers: HttpServerRequest["headers"]): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0

const rangePattern = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i

/** `bytes 0-99/1000` (RFC 9110, 14.4), `*` while the whole is not known; `bytes *\/1000` says that all 1000 were sent. */
const contentRange = ({ headers }: HttpServerRequest): Effect.Effect<ContentRange | undefined, InvalidInput> => {
  const header = headers["content-range"]
  if (header === undefined) return Effect.undefined
  const finished = /^bytes \*\/(\d{1,15})$/i.exec(header)?.[1]
  if (finished !== undefined && hasNoBody(headers)) return Effect.succeed(finalRange(Number(finished)))
  const [, first, last, whole] = rangePattern.exec(header) ?? []
  const [from, to, total] = [Number(first), Number(last), whole === "*" ? null : Number(whole)]
  return whole === undefined || from > to || (total !== null && to >= total)
    ? invalid(
        "Content-Range",
        "A range is bytes <first>-<last>/<total, or *>, counted from 0; or bytes */<total> without a body, at the end"
      )
    : Effect.succeed({ from, to, total })
}

/** `Upload-Offset: 1000` without a body says that all 1000 bytes were sent. */
const uploadOffset = ({ headers }: HttpServerRequest): Effect.Effect<ContentRange | undefined, InvalidInput> => {
  const header = headers["upload-offset"]
  if (header === undefined) return Effect.undefined
  return hasNoBody(headers) && /^\d{1,15}$/.test(header)
    ? Effect.succeed(finalRange(Number(header)))
    : invalid(
        "Upload-Offset",
        "It goes without a body, and is how many bytes were sent; send the rest by Content-Range"
      )
}

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const render = yield* renderer

  const authority = Effect.fnUntraced(function* (request: HttpServerRequest, id: string, capability: string | null) {
    if (capability === null) return (yield* Pipeline.admit(request, facts)).partition
    yield* RequestVersion.check
    if (capability.length > Limits.capabilityMax) return yield* notFound("upload", id)
    return yield* uploads.findByCapability(id, capability)
  })

  /** Whose upload the request is about. */
  const target = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const id = params["upload_id"] ?? ""
    const query = yield* Query.Query
    const capability = yield* Query.plain(query, "capability")
    const partition = yield* authority(request, id, capability)
    yield* Query.record(query)
    return { request, id, capability, partition }
  })

  const put = Effect.gen(function* () {
    const { capability, id, partition, request } = yield* target
    const range = (yield* contentRange(request)) ?? (yield* uploadOffset(request))
    const content = Stream.mapError(request.stream, () => invalid(null, "The content broke off before its end"))
    const gzipHint = /^(x-)?gzip$/i.test(request.headers["content-encoding"] ?? "")
    const upload = yield* uploads.content(partition, id, capability, content, {
      gzipHint,
      length: Number(request.headers["content-length"] ?? 0),
      ...(range === undefined ? {} : { range })
    })
    return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(yield* render(partition, upload)), {
      status: 202
    })
  })

  const head = Effect.gen(function* () {
    const { id, partition } = yield* target
    const upload = yield* uploads.get(partition, id)
    const received = yield* uploads.receivedBytes(partition, upload)
    return HttpServerResponse.empty({
      status: 200,
      headers: { "upload-offset": String(received), "cache-control": "no-store" }
    })
  })

  return responsesOf(UploadContentApi)({ put, head })
})
