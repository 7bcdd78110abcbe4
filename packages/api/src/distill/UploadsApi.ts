/** Uploads (contract 6). */

import * as Characters from "@limbeck/core/text/Characters"
import { DistillLimits } from "@limbeck/distill/Limits"
import { UploadFormat } from "@limbeck/distill/upload/Upload"
import { UploadResource as Upload } from "@limbeck/distill/upload/UploadResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { asCreated, Count, documentRule, idOf, listOf, listQuery, referenceTo, Sha256 } from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, goneErrors, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Upload }

export const UploadCreate = Schema.Struct({
  filename: Schema.NonEmptyString.check(Characters.isMaxCharacters(Limits.filenameMax)),
  /** `student_model`: a GGUF file, or a tar of a model's files, gzipped or not. */
  format: Schema.optionalKey(UploadFormat.annotate({ default: "chat_jsonl" })),
  bytes: Schema.optionalKey(Count.check(documentRule({ maximum: DistillLimits.uploadBytesMax }))),
  sha256: Schema.optionalKey(Sha256("sha256 is 64 lowercase hexadecimal characters")),
  loop: Schema.optionalKey(referenceTo("loop"))
}).annotate({ identifier: "UploadCreate" })

const params = { upload_id: idOf("upl") }
const workflow = {
  workflowStage: "data",
  terminalStates: ["succeeded", "failed", "expired"],
  recovery: "Keep the upload id and poll GET /v1/distill/uploads/{upload_id}; a time-out is not an end."
}

export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/uploads", {
      payload: UploadCreate,
      success: asCreated(Upload),
      error: writeErrors
    }).annotateMerge(
      operation("createUpload", "Announce a file of rows, or a student model; its content is sent to upload_url", {
        access: "distill:write",
        idempotency: "required",
        secret: true,
        ...workflow
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/uploads", {
      query: listQuery,
      success: listOf(Upload),
      error: readErrors
    }).annotateMerge(
      operation("listUploads", "Uploads, newest first", { access: "distill:read", workflowStage: "data" })
    )
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/uploads/:upload_id", {
      params,
      success: Upload,
      error: readErrors
    }).annotateMerge(operation("getUpload", "One upload", { access: "distill:read", ...workflow }))
  )
  .annotateMerge(about("Files of rows, announced first and sent afterwards.")) {}

const contentPath = "/v1/distill/uploads/:upload_id/content"
const capability = { capability: Schema.optionalKey(Schema.String) }
const contentFacts = { access: "distill:write", capability: true, ...workflow } as const

/** The content itself: any bytes, streamed; the capability in the URL is the authority, or a bearer token. */
export class UploadContentApi extends HttpApiGroup.make("upload_content")
  .add(
    HttpApiEndpoint.put("put", contentPath, {
      params,
      query: capability,
      payload: ["application/x-ndjson", "application/gzip"].map((contentType) =>
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType }))
      ),
      success: Upload.pipe(HttpApiSchema.status(202)),
      error: goneErrors
    }).annotateMerge(
      operation("putUploadContent", "Send the content of an upload, plain or gzip", {
        ...contentFacts,
        recovery:
          "After a broken connection ask for received_bytes (or HEAD the URL, Upload-Offset) and send the rest with Content-Range."
      })
    )
  )
  .add(
    HttpApiEndpoint.head("head", contentPath, {
      params,
      query: capability,
      success: HttpApiSchema.Empty(200),
      error: readErrors
    }).annotateMerge(
      operation(
        "headUploadContent",
        "How much of the content is here: bytes, in the header Upload-Offset, where the next range begins",
        contentFacts
      )
    )
  )
  .annotateMerge(about("The content of an upload, streamed and resumable.")) {}
