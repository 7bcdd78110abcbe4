/**
 * A student model: the result of a live run with a publish stage (contract 5, 14.24), or a registered external student
 * (15.16). Immutable, except for the evaluations of an external student.
 */
import { QuestionId } from "@limbeck/capture/dialect/decisions/Question"
import * as Id from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import { EmbeddingModel } from "../recipe/Recipe.ts"
import { RunCase } from "../recipe/StudentBase.ts"
import { AgreementCurve } from "../report/AgreementCurve.ts"
import { AloneRows } from "../report/DecisionEvaluation.ts"
import { ToldConfidence } from "../report/Evaluation.ts"
import { HeldOutAnswers } from "../report/HeldOutAnswers.ts"
import { TemplateFigures } from "../report/TemplateFigures.ts"
import { Unlike } from "../report/Unlike.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"
import { ReportId, RunId, StudentModelId } from "../run/Run.ts"
import { AnsweredQuestion } from "./AnsweredQuestion.ts"
import { Artifact } from "./Artifact.ts"
import { Endpoint, Prices } from "./Endpoint.ts"

/** The result of the last stage of a publishing run. */
export const PublishResult = Schema.Struct({
  artifact: Artifact,
  /** Of a student of decisions. */
  questions: Schema.optionalKey(Schema.Array(AnsweredQuestion)),
  /** Of a student that embeds requests by a source, whose id it has. */
  embeddings: Schema.optionalKey(EmbeddingModel)
})

/** The holdout evidence of a student, for the guard (contract 15.15). */
export const HoldoutEvidence = Schema.Struct({
  /** Effective rows, rounded, like the other counts. */
  rows: Schema.Int,
  /** Rows on which student and teacher agree. */
  agreed: Schema.Int,
  /** The 95 % interval of the agreement. */
  low: Schema.Finite,
  high: Schema.Finite,
  /** How the interval was made. */
  method: Schema.String,
  /** Rows that have the most frequent completion. */
  mostFrequent: Schema.Int
})
export type HoldoutEvidence = typeof HoldoutEvidence.Type

/** The holdout evidence of one question of a student of decisions, for the guard (contract 16.28). */
export const QuestionEvidence = Schema.Struct({
  question: QuestionId,
  name: Schema.NullOr(Schema.String),
  threshold: Schema.NullOr(Schema.Finite),
  alone: AloneRows,
  /** Of all rows, and from the threshold on. */
  curve: AgreementCurve
})
export type QuestionEvidence = typeof QuestionEvidence.Type

/** `run`: made by a live run here; `external`: trained elsewhere. */
export const StudentOrigin = Schema.Literals(["run", "external"])

/** The endpoint and the prices of an external student. */
export const StudentEndpoint = Schema.Struct({ ...Endpoint.fields, ...Prices.fields })
export type StudentEndpoint = typeof StudentEndpoint.Type

export const StudentModel = Schema.Struct({
  id: StudentModelId,
  origin: StudentOrigin.pipe(Schema.withDecodingDefaultKey(Effect.succeed("run" as const))),
  /** The name that the run's creator gave. */
  name: Schema.NullOr(Schema.String),
  /** The student base. */
  base: Schema.String,
  /** For an external student, the run named at its registration. */
  run: Schema.NullOr(RunId),
  /**
   * For an external student, this and the other holdout figures are of its latest evaluation; null before the first.
   */
  report: Schema.NullOr(ReportId),
  datasetVersion: Schema.NullOr(DatasetVersionId),
  /** The case of the version's rows. Absent without a version, and in students of earlier servers. */
  case: Schema.optionalKey(RunCase),
  executor: Schema.String,
  /** Only for external students. */
  endpoint: Schema.NullOr(StudentEndpoint).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Null for a student from a stub, which cannot be served. */
  artifact: Schema.NullOr(Artifact),
  /** The model that embeds its requests, with the id of the source. Absent for a student without such embeddings. */
  embeddings: Schema.optionalKey(EmbeddingModel),
  /** Share of holdout answers in agreement with the row; null without an evaluation. */
  accuracy: Schema.NullOr(Schema.Finite),
  /**
   * How the confidence of its answers is read; null: its evaluation got none. Absent for builtin students, whose confidence
   * is calibrated, without an evaluation, and for students from before it was kept.
   */
  toldConfidence: Schema.optionalKey(Schema.NullOr(ToldConfidence)),
  /** Null where nothing was evaluated, and for students from before this was kept. */
  holdout: Schema.NullOr(HoldoutEvidence).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** How often it agrees, by threshold; empty without an evaluation, and for students from before it was kept. */
  agreementAt: AgreementCurve.pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Absent for a student of completions. */
  questions: Schema.optionalKey(Schema.Array(AnsweredQuestion)),
  /** By question; absent for a student of completions, and without an evaluation. */
  questionEvidence: Schema.optionalKey(Schema.Array(QuestionEvidence)),
  /** Its agreement by system prompt; absent where it knows none, and for students from before it was kept. */
  templates: Schema.optionalKey(Schema.Array(TemplateFigures)),
  /** Absent for a student that no builtin training made, and for students from before it was kept. */
  unlike: Schema.optionalKey(Unlike),
  /** Its agreement by held-out prompt; absent for students from before it was kept. */
  heldOut: Schema.optionalKey(HeldOutAnswers),
  createdAt: Millis
})
export type StudentModel = typeof StudentModel.Type

export const kind = Kind.make({
  name: "student_model",
  schema: StudentModel,
  labels: (model) => [
    ...(model.run === null ? [] : [`run:${model.run}`]),
    ...BlobLabel.labels(model.artifact === null ? [] : [model.artifact.sha256])
  ]
})

export const isId = Id.isOf("stu")

/** The `executor` of external students. */
export const externalName = "external"

/** The encryption context of the endpoint's key. */
export const sealContext = ({ key }: Partition, id: string): string => `${key}/student_model/${id}`
