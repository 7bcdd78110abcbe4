/** Checks an owner's settings against the rules and the existing students and sources (contract 7, 14.26). */

import { last4 } from "@limbeck/capture/source/SourceRules"
import { Sources } from "@limbeck/capture/source/Sources"
import { Upstream } from "@limbeck/capture/upstream/Upstream"
import { invalid, notFound, referenceUnknown } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import type { Endpoint } from "@limbeck/distill/student/Endpoint"
import { ModelServers } from "@limbeck/distill/student/ModelServers"
import type { StudentEndpoint } from "@limbeck/distill/student/StudentModel"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  ConfidenceNotTold,
  FieldsUnlearnt,
  NoPreviousStudent,
  StudentNotDeployable,
  StudentUnservable
} from "../Errors.ts"
import { unwatchedStanding } from "../guard/internal/Standing.ts"
import { ServingLimits } from "../Limits.ts"
import type { Student } from "../student/internal/Student.ts"
import { Students } from "../student/Students.ts"
import { type Deployment, type Fallback, type Guard, isManaged, managedEndpoint } from "./Deployment.ts"
import type { DeploymentSettings } from "./DeploymentMachine.ts"
import * as Rules from "./internal/DeploymentRules.ts"

/** What is absent stays. */
export interface DeploymentPatch {
  readonly studentModel?: string | undefined
  readonly mode?: Deployment["mode"] | undefined
  /** Its source by name or id. Null: none from now on. */
  readonly fallback?: Fallback | null | undefined
  readonly onFallbackFailure?: Deployment["onFallbackFailure"] | undefined
  readonly fields?: Deployment["fields"] | undefined
  readonly trafficPercent?: number | undefined
  readonly timeoutMillis?: number | undefined
  /** Of it too, what is absent stays. */
  readonly endpoint?: Rules.EndpointPatch | null | undefined
  /** Of it too. Null: off. */
  readonly guard?: GuardPatch | null | undefined
}

interface GuardPatch {
  readonly minAgreement?: number | null | undefined
  readonly verifyPercent?: number | undefined
  readonly onBreach?: Guard["onBreach"] | undefined
}

const usualGuard: Guard = {
  minAgreement: null,
  verifyPercent: ServingLimits.guardVerifyPercent,
  onBreach: "fallback"
}

const guardOf = (before: Guard | null, patch: DeploymentPatch["guard"]): Guard | null => {
  if (patch === undefined || patch === null) return patch === null ? null : before
  const { minAgreement, onBreach, verifyPercent } = before ?? usualGuard
  return {
    minAgreement: patch.minAgreement === undefined ? minAgreement : patch.minAgreement,
    verifyPercent: patch.verifyPercent ?? verifyPercent,
    onBreach: patch.onBreach ?? onBreach
  }
}

/** A deployment with default settings. */
export const blank = (options: {
  readonly id: Deployment["id"]
  readonly alias: string
  readonly mode: Deployment["mode"]
  readonly studentModel: string
  readonly now: Millis
}): Deployment => ({
  id: options.id,
  alias: options.alias,
  mode: options.mode,
  status: "provisioning",
  studentModel: options.studentModel,
  previousStudentModel: null,
  previousEndpoint: null,
  loop: null,
  fallback: null,
  onFallbackFailure: "fail",
  fields: "whole",
  trafficPercent: 100,
  timeoutMillis: ServingLimits.studentTimeoutMillis,
  endpoint: null,
  studentConfidence: null,
  guard: usualGuard,
  ...unwatchedStanding,
  studentSince: options.now,
  driftAcceptedAt: options.now,
  driftedAt: null,
  error: null,
  createdAt: options.now,
  updatedAt: options.now,
  retiredAt: null
})

export const sealContext = (partition: Partition, id: string): string => `${partition.key}/deployment/${id}`

const freeFields = "The student leaves the free fields of answers to the fallback: name one"
const inProcess = "A builtin student is served by this server: it has no endpoint"
const elsewhere =
  "A language model is served elsewhere: say where, or set SERVING_COMMAND for students with an artifact"

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: checks of one body in their order, each short
export const make = Effect.gen(function* () {
  const students = yield* Students
  const sources = yield* Sources
  const secrets = yield* Secrets
  const { policy } = yield* Upstream
  const servers = yield* ModelServers

  const deployable = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const student = Option.getOrUndefined(yield* students.find(partition, id))
    if (student === undefined) return yield* notFound("student model", id, "student_model")
    if (student.deployable) return student
    return yield* new StudentNotDeployable({ id })
  })

  const keyFields = Effect.fnUntraced(function* (partition: Partition, id: string, apiKey: string | null) {
    if (apiKey === null) return { sealedKey: null, keyLast4: null }
    return { sealedKey: yield* secrets.seal(apiKey, sealContext(partition, id)), keyLast4: last4(apiKey) }
  })

  const moved = Effect.fnUntraced(function* (partition: Partition, before: Deployment, given: Rules.EndpointPatch) {
    const { apiKey, baseUrl, model } = yield* Effect.fromResult(Rules.endpoint(before.endpoint, given))
    const { keyLast4 = null, sealedKey = null } = before.endpoint ?? {}
    const key = apiKey === undefined ? { sealedKey, keyLast4 } : yield* keyFields(partition, before.id, apiKey)
    return { baseUrl, model, ...key }
  })

  /** The endpoint of a student trained elsewhere: its key is encrypted anew, for this deployment. */
  const registered = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    id: string,
    { baseUrl, model, sealedKey }: StudentEndpoint
  ) {
    const context = StudentModel.sealContext(partition, id)
    const apiKey = sealedKey === null ? null : yield* secrets.open(sealedKey, context)
    const endpoint: Endpoint = { baseUrl, model, ...(yield* keyFields(partition, before.id, apiKey)) }
    return endpoint
  })

  /** `given`: already checked by itself. */
  const endpointOf = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment,
    student: Student,
    given: Rules.EndpointPatch | null | undefined
  ) {
    if (student.engine === "builtin") {
      return given === undefined || given === null ? null : yield* invalid("endpoint", inProcess)
    }
    // This server's own process is not kept: it belongs to the student.
    const own = isManaged(before.endpoint) ? null : before.endpoint
    const isKept = given === undefined && (student.endpoint === null || student.id === before.studentModel)
    if (isKept && own !== null) return own
    if (given === undefined || given === null) {
      if (student.endpoint !== null) return yield* registered(partition, before, student.id, student.endpoint)
      return servers.isSetUp && student.artifact !== null
        ? managedEndpoint(student.id)
        : yield* invalid("endpoint", elsewhere)
    }
    const endpoint: Endpoint = yield* moved(partition, { ...before, endpoint: own }, given)
    return endpoint
  })

  const fallbackOf = Effect.fnUntraced(function* (partition: Partition, asked: Fallback | null) {
    if (asked === null) return null
    const source = Option.getOrUndefined(yield* sources.resolve(partition, asked.source))
    if (source === undefined) return yield* referenceUnknown("source", asked.source, "fallback.source")
    return { ...asked, source: source.id }
  })

  /** Partial answers of a student with closed fields need a fallback for the free fields. */
  const checkFields = Effect.fnUntraced(function* (
    student: Student,
    fields: Deployment["fields"],
    hasFallback: boolean
  ) {
    const isPartial = ClosedFields.isPartial(student.artifact?.format)
    if (isPartial !== (fields === "closed_only")) return yield* new FieldsUnlearnt({ id: student.id, fields })
    if (isPartial && !hasFallback) return yield* invalid("fallback", freeFields)
  })

  /** The source that embeds the student's requests exists. */
  const checkEmbeddings = Effect.fnUntraced(function* (partition: Partition, { embeddingSource, id }: Student) {
    if (embeddingSource === undefined || Option.isSome(yield* sources.resolve(partition, embeddingSource))) return
    return yield* new StudentUnservable({ id, reason: `source ${embeddingSource}, which embeds its requests, is gone` })
  })

  /** What `before` is to become. First what a body alone can tell, then the student, then who else is named. */
  const patched = Effect.fnUntraced(function* (partition: Partition, before: Deployment, patch: DeploymentPatch) {
    const mode = patch.mode ?? before.mode
    const trafficPercent = patch.trafficPercent ?? before.trafficPercent
    const fallback = patch.fallback === undefined ? before.fallback : patch.fallback
    yield* Effect.fromResult(Rules.fallback({ mode, trafficPercent, hasFallback: fallback !== null }))
    const given =
      patch.endpoint === undefined || patch.endpoint === null
        ? patch.endpoint
        : yield* Effect.fromResult(Rules.checkEndpoint(policy, partition.livemode, patch.endpoint))
    const student = yield* deployable(partition, patch.studentModel ?? before.studentModel)
    if (student.toldConfidence === null && (fallback?.belowConfidence ?? 0) > 0) {
      return yield* new ConfidenceNotTold({ id: student.id })
    }
    const fields = patch.fields ?? before.fields
    yield* checkFields(student, fields, fallback !== null)
    yield* checkEmbeddings(partition, student)
    const settings: DeploymentSettings = {
      mode,
      studentModel: student.id,
      loop: student.loop,
      endpoint: yield* endpointOf(partition, before, student, given),
      studentConfidence: student.toldConfidence ?? null,
      fallback: patch.fallback === undefined ? before.fallback : yield* fallbackOf(partition, patch.fallback),
      onFallbackFailure: patch.onFallbackFailure ?? before.onFallbackFailure,
      fields,
      trafficPercent,
      timeoutMillis: patch.timeoutMillis ?? before.timeoutMillis,
      guard: guardOf(before.guard, patch.guard)
    }
    return settings
  })

  const rolledBack = Effect.fnUntraced(function* (partition: Partition, before: Deployment) {
    const { fallback, fields, guard, mode, onFallbackFailure, previousEndpoint, previousStudentModel } = before
    const { timeoutMillis, trafficPercent } = before
    if (previousStudentModel === null) return yield* new NoPreviousStudent({ deployment: before.id })
    const student = yield* deployable(partition, previousStudentModel)
    const { id: studentModel, loop, toldConfidence = null } = student
    yield* checkFields(student, fields, fallback !== null)
    yield* checkEmbeddings(partition, student)
    const settings: DeploymentSettings = {
      mode,
      studentModel,
      loop,
      endpoint: previousEndpoint,
      studentConfidence: toldConfidence,
      fallback,
      onFallbackFailure,
      fields,
      trafficPercent,
      timeoutMillis,
      guard
    }
    return settings
  })

  return { patched, rolledBack } as const
})
