/** A deployment: a student that answers, or listens, under `svc:<alias>` (contract 7, 14.26). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import { AnswerFields } from "@limbeck/distill/recipe/Recipe"
import { ToldConfidence } from "@limbeck/distill/report/Evaluation"
import { Endpoint } from "@limbeck/distill/student/Endpoint"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const DeploymentId = Id.schema("dep")

/** `active`: the student answers; `shadow`: the upstream does, and the student gets a copy. */
export const DeploymentMode = Schema.Literals(["active", "shadow"])
export type DeploymentMode = typeof DeploymentMode.Type

export const DeploymentStatus = Schema.Literals(["provisioning", "ready", "failed", "retired"])
export type DeploymentStatus = typeof DeploymentStatus.Type

/** The upstream in place of the student: for the rest of the traffic, in shadow, and after a failure. */
export const Fallback = Schema.Struct({
  /** By id, so that a source may be renamed. */
  source: Schema.String,
  model: Schema.String,
  /** A student's answer below this confidence goes to the fallback. */
  belowConfidence: Schema.NullOr(Schema.Finite)
})
export type Fallback = typeof Fallback.Type

/** The `baseUrl` of a student that each server serves by a process of its own: no address. */
const managedUrl = "limbeck:managed"

/** The endpoint of a student that this server serves by its own process (contract 15.18). */
export const managedEndpoint = (student: string): Endpoint => ({
  baseUrl: managedUrl,
  model: student,
  sealedKey: null,
  keyLast4: null
})

export const isManaged = (endpoint: Endpoint | null): boolean => endpoint?.baseUrl === managedUrl

/** The students of a deployment that this server serves by processes: that of now, and the one before. */
export const managedStudents = (
  deployment: Pick<Deployment, "endpoint" | "previousEndpoint" | "previousStudentModel" | "studentModel">
): ReadonlyArray<string> => {
  const { endpoint, previousEndpoint, previousStudentModel, studentModel } = deployment
  return [
    ...(isManaged(endpoint) ? [studentModel] : []),
    ...(isManaged(previousEndpoint) && previousStudentModel !== null ? [previousStudentModel] : [])
  ]
}

/** What follows on a failed fallback for a request for decisions: the student's answer, where it knows all questions; or the failure. */
export const OnFallbackFailure = Schema.Literals(["answer", "fail"])
export type OnFallbackFailure = typeof OnFallbackFailure.Type

export const OnBreach = Schema.Literals(["fallback", "notify"])

/** Keeps callers from a student that is not as good as it was found to be (contract 15.15). */
export const Guard = Schema.Struct({
  /** Required share of agreement with the teacher; null: the lower bound of the evidence. */
  minAgreement: Schema.NullOr(Schema.Finite),
  /** Percentage of the student's answers to verify, 0 to 100. */
  verifyPercent: Schema.Finite,
  /** `fallback`: the upstream, if any, answers from the breach on; `notify`: the breach only sends an event. */
  onBreach: OnBreach
})
export type Guard = typeof Guard.Type

/** The figures at the moment of a breach. */
export const Breach = Schema.Struct({
  floor: Schema.Finite,
  value: Schema.Finite,
  low: Schema.Finite,
  high: Schema.Finite,
  comparisons: Schema.Int,
  /** Of a student of decisions: the question, and what of its answers has moved away from the upstream's. */
  question: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.Literals(["agreement", "difference"]))
})
export type Breach = typeof Breach.Type

/** Null in deployments from before guards. */
const laterOrNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** How a question of a student of decisions stands (contract 16.28). */
export const QuestionStanding = Schema.Struct({
  question: Schema.String,
  name: Schema.NullOr(Schema.String),
  floor: Schema.Finite,
  evidence: Schema.Struct({ compared: Schema.Int, agreed: Schema.Int }),
  /** The largest mean difference between the distributions of student and upstream. */
  differenceMax: Schema.Finite,
  guardedAt: Schema.NullOr(Millis)
})
export type QuestionStanding = typeof QuestionStanding.Type

/** How a student that is active under a guard stands. */
const standing = {
  /** The agreement that is asked of it; null where nothing is. */
  floor: laterOrNull(Schema.Finite),
  /** Comparisons that the floor goes by: of the holdout and in shadow, of answers that callers get. */
  evidence: laterOrNull(Schema.Struct({ compared: Schema.Int, agreed: Schema.Int })),
  /** Its evidence counts from here. */
  watchedSince: laterOrNull(Millis),
  /** The time of the breach. */
  guardedAt: laterOrNull(Millis),
  /** The last one. */
  breach: laterOrNull(Breach),
  /** Of a student of decisions, each question by itself: `floor` and `evidence` are null, and it is not guarded as a whole. */
  questions: Schema.Array(QuestionStanding).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
}
const Standing = Schema.Struct(standing)
export type Standing = typeof Standing.Type

export const Deployment = Schema.Struct({
  id: DeploymentId,
  alias: Schema.String,
  mode: DeploymentMode,
  status: DeploymentStatus,
  /** Id of the student model. */
  studentModel: Schema.String,
  /** The previous student, for a rollback. */
  previousStudentModel: Schema.NullOr(Schema.String),
  /** Where that one was served; null for one of this process. */
  previousEndpoint: Schema.NullOr(Endpoint),
  /** The loop of its run, if any. */
  loop: Schema.NullOr(Schema.String),
  fallback: Schema.NullOr(Fallback),
  onFallbackFailure: OnFallbackFailure.pipe(Schema.withDecodingDefaultKey(Effect.succeed("fail" as const))),
  /** `closed_only`: the student gives the closed fields of a JSON answer, the fallback the free fields. */
  fields: AnswerFields.pipe(Schema.withDecodingDefaultKey(Effect.succeed("whole" as const))),
  /** The student's share of the traffic, 0 to 100; the rest is the upstream's. */
  trafficPercent: Schema.Finite,
  /** How long the student may take to its first byte. */
  timeoutMillis: Schema.Int,
  endpoint: Schema.NullOr(Endpoint),
  /** The reading of the endpoint's confidence; null: the endpoint's own value counts, or the student runs in this process. */
  studentConfidence: laterOrNull(ToldConfidence),
  /** Null: no guard, as in deployments older than guards. */
  guard: laterOrNull(Guard),
  ...standing,
  /** The start of the current student: earlier comparisons measured another student. */
  studentSince: Millis.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  /** When a person last accepted its drift, or its student, mode or threshold last changed. 0: of before drift was recorded. */
  driftAcceptedAt: Millis.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  /** When its drift was found; null again when the comparison starts anew. */
  driftedAt: laterOrNull(Millis),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  createdAt: Millis,
  updatedAt: Millis,
  retiredAt: Schema.NullOr(Millis)
})
export type Deployment = typeof Deployment.Type

/** Its drift is that of the calls since then. */
export const driftSince = ({ createdAt, driftAcceptedAt, studentSince }: Deployment): Millis =>
  Math.max(createdAt, driftAcceptedAt, studentSince)

/** What is ready under an alias. With both, the active one answers and the student of the other gets a copy. */
export const AliasDeployments = Schema.Struct({ active: Schema.NullOr(Deployment), shadow: Schema.NullOr(Deployment) })
export type AliasDeployments = typeof AliasDeployments.Type

/** The unique key of a live deployment: one per alias and mode. */
export const placeOf = ({ alias, mode }: Pick<Deployment, "alias" | "mode">): string => `${mode}:${alias}`

export const kind = Kind.make({
  name: "deployment",
  schema: Deployment,
  labels: (deployment) => [
    `alias:${deployment.alias}`,
    `status:${deployment.status}`,
    `mode:${deployment.mode}`,
    ...(deployment.loop === null ? [] : [`loop:${deployment.loop}`])
  ],
  unique: (deployment) => (deployment.status === "retired" ? deployment.id : placeOf(deployment))
})

/** The queue topic on which deployments wait to be provisioned. */
export const topic = "deployment"

/** Rung (`Queue.nudge`) when deployments change. */
export const bell = "deployments"

/** The prefix of a deployed model's name. */
export const modelPrefix = "svc:"

/** What a call names to reach it. */
export const modelOf = ({ alias }: Pick<Deployment, "alias">): string => modelPrefix + alias
