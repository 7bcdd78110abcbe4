/** The upload routes that speak JSON; the content itself has a route of its own. */
import { UploadsApi } from "@limbeck/api/UploadsApi"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Caller from "@limbeck/core/tokens/Caller"
import type { Upload } from "@limbeck/distill/upload/Upload"
import * as UploadResource from "@limbeck/distill/upload/UploadResource"
import { Uploads } from "@limbeck/distill/upload/Uploads"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"
import { ServerSettings } from "../../Settings.ts"

/** Who only reads sees no URL that lets its holder write. */
const mayWrite = (caller: Caller.Caller): boolean => Caller.allows(caller, "distill:write")

/** Renders an upload; its URL carries the capability while content is awaited. */
export const renderer = Effect.gen(function* () {
  const uploads = yield* Uploads
  const { publicUrl } = yield* ServerSettings
  return (partition: Partition, upload: Upload, withUrl = true) =>
    Effect.gen(function* () {
      const capability = withUrl ? yield* uploads.capability(partition, upload) : null
      const url =
        capability === null
          ? null
          : `${publicUrl}/v1/distill/uploads/${upload.id}/content?capability=${encodeURIComponent(capability)}`
      return UploadResource.render(partition, upload, url, yield* uploads.receivedBytes(partition, upload))
    })
})

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const render = yield* renderer

  return handlersOf(UploadsApi)({
    create: ({ caller: { partition }, payload: { bytes, filename, format = "chat_jsonl", loop, sha256 } }) =>
      Effect.flatMap(
        uploads.create(partition, {
          filename,
          format,
          ...(bytes === undefined ? {} : { bytes }),
          ...(sha256 === undefined ? {} : { sha256 }),
          ...(loop === undefined ? {} : { loop })
        }),
        (upload) => render(partition, upload)
      ),
    list: ({ caller, query }) =>
      Effect.gen(function* () {
        const { partition } = caller
        const page = yield* Lists.page(
          { partition, list: "uploads", query },
          (request) => uploads.page(partition, request),
          (items) => items
        )
        return {
          ...page,
          data: yield* Effect.forEach(page.data, (upload) => render(partition, upload, mayWrite(caller)))
        }
      }),
    get: ({ caller, params }) =>
      Effect.flatMap(uploads.get(caller.partition, params.upload_id), (upload) =>
        render(caller.partition, upload, mayWrite(caller))
      )
  })
})
