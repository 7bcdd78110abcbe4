/** Student models: what live runs published (contract 4, 5). */
import { Artifact } from "@limbeck/distill/student/StudentModel"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { idOf, listOf, listQuery, Timestamp } from "./Common.ts"
import { about, operation, readErrors } from "./Operation.ts"

export const StudentModel = Schema.Struct({
  id: idOf("stu"),
  object: Schema.Literal("student_model"),
  livemode: Schema.Boolean,
  name: Schema.NullOr(Schema.String),
  base: Schema.String,
  run: idOf("run"),
  report: idOf("rpt"),
  dataset_version: idOf("dsv"),
  executor: Schema.String,
  artifact: Schema.NullOr(Artifact),
  accuracy: Schema.NullOr(Schema.Finite),
  created_at: Timestamp
}).annotate({ identifier: "StudentModel" })

const read = { access: "distill:read", workflowStage: "report" } as const

export class StudentModelsApi extends HttpApiGroup.make("student_models")
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
  .annotateMerge(about("Students that live runs have published.")) {}
