/** Loops: what ties uploads, datasets, runs and deployments together (contract 4). */
import { LoopResource as Loop, LoopWithLatestResource as LoopWithLatest } from "@limbeck/serving/loop/LoopResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { asCreated, Description, idOf, listOf, listQuery, Name, nullMeans } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Loop, LoopWithLatest }

export const LoopCreate = Schema.Struct({
  name: Name,
  description: nullMeans("null: none", Description)
}).annotate({ identifier: "LoopCreate" })

export const LoopUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  description: nullMeans("null: none", Description)
}).annotate({ identifier: "LoopUpdate" })

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const params = { loop_id: idOf("loop") }

export class LoopsApi extends HttpApiGroup.make("loops")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/loops", {
      payload: LoopCreate,
      success: asCreated(Loop),
      error: writeErrors
    }).annotateMerge(
      operation("createLoop", "A name that ties data, runs and deployments together", {
        access: "distill:write",
        idempotency: "supported",
        workflowStage
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/loops", {
      query: listQuery,
      success: listOf(Loop),
      error: readErrors
    }).annotateMerge(operation("listLoops", "Loops, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/loops/:loop_id", {
      params,
      success: LoopWithLatest,
      error: readErrors
    }).annotateMerge(operation("getLoop", "One loop, with its newest resource of each kind", read))
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/distill/loops/:loop_id", {
      params,
      payload: LoopUpdate,
      success: Loop,
      error: writeErrors
    }).annotateMerge(
      operation("updateLoop", "Change the name or the description", { access: "distill:write", workflowStage })
    )
  )
  .annotateMerge(about("Names that tie data, runs and deployments together.")) {}
