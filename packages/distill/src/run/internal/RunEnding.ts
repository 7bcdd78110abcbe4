/** What a run leaves when it succeeds: its report, and the student model of a live run that publishes (contract 5). Pure. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { DatasetVersion } from "../../dataset/DatasetVersion.ts"
import { Race } from "../../race/Race.ts"
import * as RaceRules from "../../race/RaceRules.ts"
import * as Proposal from "../../recipe/Proposal.ts"
import { DecisionEvaluation } from "../../report/DecisionEvaluation.ts"
import { Evaluation } from "../../report/Evaluation.ts"
import * as LearningCurve from "../../report/LearningCurve.ts"
import type { Report } from "../../report/Report.ts"
import * as ReportResource from "../../report/ReportResource.ts"
import { Unlike } from "../../report/Unlike.ts"
import { type HoldoutEvidence, PublishResult, type StudentModel } from "../../student/StudentModel.ts"
import { endpointName } from "../Executor.ts"
import type { Run, RunStage } from "../Run.ts"

const decodeEvaluation = Schema.decodeUnknownOption(Evaluation)
const decodePublished = Schema.decodeUnknownOption(PublishResult)

const resultOf = (run: Run, kind: RunStage["kind"]) => run.stages.find((stage) => stage.kind === kind)?.result ?? null

const evaluationOf = (run: Run): Evaluation | null => Option.getOrNull(decodeEvaluation(resultOf(run, "eval")))

const publishedOf = (run: Run) => Option.getOrUndefined(decodePublished(resultOf(run, "publish")))

const decodeRace = Schema.decodeUnknownOption(Schema.Struct({ race: Race }))

const askedRaceOf = (run: Run): Race | null =>
  Option.match(decodeRace(resultOf(run, "eval")), { onNone: () => null, onSome: ({ race }) => race })

/** Without candidates the cheapest way to answer is one of student, cascade and teacher. */
const raceOf = (run: Run, evaluation: Evaluation | null): Race | null => {
  const asked = askedRaceOf(run)
  if (asked !== null || evaluation === null) return asked
  const cheapest = RaceRules.cheapest([], {
    student: { name: String(run.recipe["student_model"]), evaluation },
    teacherCostPer1000Usd: evaluation.cost_per_1000_calls_usd.teacher,
    teacherItself: evaluation.teacher_itself?.value ?? null
  })
  return { candidates: [], cheapest }
}

const decodeDecisions = Schema.decodeUnknownOption(Schema.Struct({ decisions: DecisionEvaluation }))

const decisionsOf = (run: Run): DecisionEvaluation | null =>
  Option.match(decodeDecisions(resultOf(run, "eval")), {
    onNone: () => null,
    onSome: ({ decisions }) => decisions
  })

const holdoutOf = (evaluation: Evaluation | null): HoldoutEvidence | null => {
  const interval = evaluation?.accuracy.interval
  if (evaluation?.mostFrequent === undefined || !interval) return null
  const { accuracy, effective_rows: effective, mostFrequent } = evaluation
  const rows = Math.round(effective ?? evaluation.rows)
  return { rows, agreed: Math.round(accuracy.value * rows), ...interval, mostFrequent }
}

const toldConfidenceOf = (evaluation: Evaluation | null): Pick<StudentModel, "toldConfidence"> =>
  evaluation?.told_confidence === undefined ? {} : { toldConfidence: evaluation.told_confidence }

/** At the thresholds of the evaluation, which second answers of the teacher may have lowered. */
const questionsOf = (run: Run): Pick<StudentModel, "questions"> => {
  const questions = publishedOf(run)?.questions
  if (questions === undefined) return {}
  const evaluated = new Map(decisionsOf(run)?.questions.map(({ question, threshold }) => [question, threshold]))
  return {
    questions: questions.map((one) => ({ ...one, threshold: evaluated.get(one.question) ?? one.threshold }))
  }
}

/** Below a question's threshold the student answers only where there is no fallback: then all rows count. */
const questionEvidenceOf = (run: Run): Pick<StudentModel, "questionEvidence"> => {
  const decisions = decisionsOf(run)
  if (decisions === null) return {}
  return {
    questionEvidence: decisions.questions
      .filter(({ agreement }) => agreement !== null)
      .map(({ alone, curve, name, question, threshold }) => ({
        question,
        name,
        threshold,
        alone,
        curve: curve.filter((point) => point.threshold === 0 || (threshold !== null && point.threshold >= threshold))
      }))
  }
}

const embeddingsOf = (run: Run): Pick<StudentModel, "embeddings"> => {
  const embeddings = publishedOf(run)?.embeddings
  return embeddings === undefined ? {} : { embeddings }
}

const templatesOf = (evaluation: Evaluation | null): Pick<StudentModel, "templates"> =>
  evaluation?.templates === undefined ? {} : { templates: evaluation.templates }

const decodeUnlike = Schema.decodeUnknownOption(Schema.Struct({ unlike: Unlike }))

const unlikeOf = (run: Run): Pick<StudentModel, "unlike"> =>
  Option.getOrElse(decodeUnlike(resultOf(run, "sft")), () => ({}))

const decodeCurve = Schema.decodeUnknownOption(Schema.Struct({ learning_curve: LearningCurve.MeasuredCurve }))

const learningCurveOf = (run: Run): Pick<Report, "learningCurve"> =>
  Option.match(decodeCurve(resultOf(run, "sft")), {
    onNone: () => ({}),
    onSome: ({ learning_curve }) => ({ learningCurve: learning_curve })
  })

const caseOf = ({ profile, questions }: DatasetVersion): Pick<StudentModel, "case"> =>
  profile === null ? {} : { case: Proposal.caseOf(profile, questions) }

const modelOf = (
  run: Run,
  version: DatasetVersion,
  report: Report["id"],
  id: StudentModel["id"],
  now: Millis
): StudentModel => ({
  id,
  origin: "run",
  name: run.studentModelName,
  base: String(run.recipe["student_model"]),
  run: run.id,
  report,
  datasetVersion: run.datasetVersion,
  ...caseOf(version),
  executor: run.executor,
  endpoint: null,
  artifact: publishedOf(run)?.artifact ?? null,
  ...embeddingsOf(run),
  accuracy: evaluationOf(run)?.accuracy.value ?? null,
  holdout: holdoutOf(evaluationOf(run)),
  agreementAt: evaluationOf(run)?.agreement_at ?? [],
  heldOut: evaluationOf(run)?.held_out ?? [],
  ...toldConfidenceOf(evaluationOf(run)),
  ...questionsOf(run),
  ...templatesOf(evaluationOf(run)),
  ...questionEvidenceOf(run),
  ...unlikeOf(run),
  createdAt: now
})

/** What an evaluation found of a student that was trained elsewhere. */
type EndingFindings = Pick<
  StudentModel,
  "id" | "report" | "datasetVersion" | "case" | "accuracy" | "holdout" | "toldConfidence" | "agreementAt" | "heldOut"
>

export interface RunEnding {
  readonly report: Report
  /** Null: the run publishes none. */
  readonly studentModel: StudentModel | null
  /** Null: the run evaluated no existing student. */
  readonly found: EndingFindings | null
}

const foundOf = (run: Run, version: DatasetVersion, report: Report["id"], id: StudentModel["id"]): EndingFindings => {
  const evaluation = evaluationOf(run)
  return {
    id,
    report,
    datasetVersion: run.datasetVersion,
    ...caseOf(version),
    accuracy: evaluation?.accuracy.value ?? null,
    holdout: holdoutOf(evaluation),
    agreementAt: evaluation?.agreement_at ?? [],
    heldOut: evaluation?.held_out ?? [],
    ...toldConfidenceOf(evaluation)
  }
}

/** `run` has succeeded, and names its report and its student model. */
export const make = (run: Run, version: DatasetVersion, now: Millis): RunEnding => {
  // Every run that succeeded has one.
  const id = run.report!
  const evaluation = evaluationOf(run)
  const race = raceOf(run, evaluation)
  const decisions = decisionsOf(run)
  const isThere = run.executor === endpointName
  const studentModel = run.studentModel === null || isThere ? null : modelOf(run, version, id, run.studentModel, now)
  const report: Report = {
    id,
    run: run.id,
    dryRun: run.dryRun,
    summary: ReportResource.summaryOf(run, version, { evaluation, decisions, race }),
    evaluation,
    ...(decisions === null ? {} : { decisions }),
    ...(race === null ? {} : { race }),
    ...unlikeOf(run),
    ...learningCurveOf(run),
    studentModel: run.studentModel,
    totals: run.totals,
    estimate: run.dryRun ? null : run.estimate,
    provenance: {
      datasetVersion: version.id,
      contentSha256: version.contentSha256,
      planHash: run.planHash,
      recipe: run.recipe,
      executor: run.executor,
      artifactSha256: studentModel?.artifact?.sha256 ?? null
    },
    createdAt: now
  }
  return {
    report,
    studentModel,
    found: run.studentModel !== null && isThere ? foundOf(run, version, id, run.studentModel) : null
  }
}
