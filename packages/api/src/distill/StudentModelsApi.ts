/** Student models: what live runs published, and what was trained elsewhere and is registered here (contract 4, 5, 15.16). */

import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import { StudentModelResource as StudentModel } from "@limbeck/distill/student/StudentModelResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  asCreated,
  BaseUrl,
  credentialUpTo,
  Dollars,
  idOf,
  listOf,
  listQuery,
  Name,
  referenceTo,
  Sha256
} from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { StudentModel }

const Price = Schema.optionalKey(Schema.NullOr(Dollars))

export const StudentModelCreate = Schema.Struct({
  name: Name,
  base_model: Name,
  endpoint: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        base_url: BaseUrl,
        model: Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.modelIdMax)),
        api_key: Schema.optionalKey(Schema.NullOr(credentialUpTo(CaptureLimits.apiKeyMax))),
        input_per_million: Price,
        output_per_million: Price
      })
    )
  ),
  artifact: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        upload: referenceTo("upl"),
        sha256: Sha256("sha256 is 64 lowercase hexadecimal characters")
      })
    )
  ),
  run: Schema.optionalKey(Schema.NullOr(referenceTo("run")))
}).annotate({
  identifier: "StudentModelCreate",
  description:
    "`endpoint` is where it answers chat completions; `artifact` instead is an upload of the format `student_model`, with the " +
    "digest of its bytes, which this server serves. Without either it cannot be evaluated, and each of its deployments names " +
    "an endpoint. Prices are US dollars for a million tokens. `run` is the run that it belongs to, if any"
})

const read = { access: "distill:read", workflowStage: "report" } as const

export class StudentModelsApi extends HttpApiGroup.make("student_models")
  .add(
    HttpApiEndpoint.post("create", "/v1/distill/student_models", {
      payload: StudentModelCreate,
      success: asCreated(StudentModel),
      error: writeErrors
    }).annotateMerge(
      operation("createStudentModel", "Register a student that was trained elsewhere", {
        access: "distill:write",
        workflowStage: "report",
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/student_models", {
      query: listQuery,
      success: listOf(StudentModel),
      error: readErrors
    }).annotateMerge(operation("listStudentModels", "Student models, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/student_models/:student_model_id", {
      params: { student_model_id: idOf("stu") },
      success: StudentModel,
      error: readErrors
    }).annotateMerge(operation("getStudentModel", "One student model", read))
  )
  .annotateMerge(about("Students that live runs have published, and those that were trained elsewhere.")) {}
