/** A student model in the form of its GET. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { RunCase } from "../recipe/StudentBase.ts"
import * as AgreementCurve from "../report/AgreementCurve.ts"
import { TemplateFigures } from "../report/TemplateFigures.ts"
import { Unlike } from "../report/Unlike.ts"
import { AnsweredQuestion } from "./AnsweredQuestion.ts"
import { Artifact } from "./Artifact.ts"
import { type StudentModel, StudentOrigin } from "./StudentModel.ts"

export const StudentModelResource = Schema.Struct({
  id: idOf("stu"),
  object: Schema.Literal("student_model"),
  livemode: Schema.Boolean,
  origin: StudentOrigin,
  name: Schema.NullOr(Schema.String),
  base: Schema.String,
  run: Schema.NullOr(idOf("run")),
  report: Schema.NullOr(idOf("rpt")),
  dataset_version: Schema.NullOr(idOf("dsv")),
  case: Schema.NullOr(RunCase).annotate({
    description: "The case of the version's rows; null without a version, and for students of earlier servers"
  }),
  executor: Schema.String,
  endpoint: Schema.NullOr(
    Schema.Struct({
      base_url: UrlShown,
      model: Schema.String,
      api_key_last4: Schema.NullOr(Schema.String),
      input_per_million: Schema.NullOr(Schema.Finite),
      output_per_million: Schema.NullOr(Schema.Finite)
    })
  ),
  artifact: Schema.NullOr(Artifact),
  accuracy: Schema.NullOr(Schema.Finite),
  agreement_at: AgreementCurve.AgreementAt,
  questions: Schema.Array(Schema.Struct({ ...AnsweredQuestion.fields, question: idOf("qst") })).annotate({
    description:
      "What a student of decisions answers; empty for other students. `threshold` null: not learnt well enough to answer alone"
  }),
  templates: Schema.Array(Schema.Struct({ ...TemplateFigures.fields, id: idOf("tpl") })).annotate({
    description:
      "Its agreement on the holdout rows of each system prompt that it learnt, and the least `threshold` at which the lower bound of the " +
      "agreement reaches 0.98, null where none does; it is advice, and a deployment has one `below_confidence`. `[]` without prompts or an evaluation"
  }),
  unlike: Schema.NullOr(Unlike),
  created_at: Timestamp
}).annotate({
  identifier: "StudentModel",
  description:
    "Of `origin` `external`: `report`, `dataset_version` and `accuracy` are those of its latest evaluation, null before it"
})

const renderEndpoint = ({ endpoint }: StudentModel) =>
  endpoint === null
    ? null
    : {
        base_url: endpoint.baseUrl,
        model: endpoint.model,
        api_key_last4: endpoint.keyLast4,
        input_per_million: endpoint.inputPerMillion,
        output_per_million: endpoint.outputPerMillion
      }

export const render = Rendered.by(StudentModelResource, (partition: Partition, model: StudentModel) => ({
  id: model.id,
  object: "student_model",
  livemode: partition.livemode,
  origin: model.origin,
  name: model.name,
  base: model.base,
  run: model.run,
  report: model.report,
  dataset_version: model.datasetVersion,
  case: model.case ?? null,
  executor: model.executor,
  endpoint: renderEndpoint(model),
  artifact: model.artifact,
  accuracy: model.accuracy,
  agreement_at: AgreementCurve.render(model.agreementAt),
  questions: model.questions ?? [],
  templates: model.templates ?? [],
  unlike: model.unlike ?? null,
  created_at: toIso(model.createdAt)
}))
