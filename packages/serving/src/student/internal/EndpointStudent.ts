/** A student at its own endpoint: any server with chat completions. */

import { CaptureLimits } from "@limbeck/capture/Limits"
import type { ModelRequest } from "@limbeck/capture/source/Forward"
import {
  isSuccess,
  Upstream,
  type UpstreamFailure,
  type UpstreamRequest,
  type UpstreamResponse
} from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import type { Endpoint } from "@limbeck/distill/student/Endpoint"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Deployment, isManaged } from "../../deployment/Deployment.ts"
import { Deployments } from "../../deployment/Deployments.ts"
import { ServingLimits } from "../../Limits.ts"
import { ManagedStudents } from "../ManagedStudents.ts"
import * as FirstBytes from "./FirstBytes.ts"
import * as MeasuredAnswer from "./MeasuredAnswer.ts"
import * as ModelMember from "./ModelMember.ts"
import type { StudentUnreadable } from "./Student.ts"
import { StudentFailed, type StudentResponse } from "./StudentResponse.ts"

/** Passed on to the client unless a fallback has a better answer: the request may be at fault. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

/** Why a student that failed like this gave no answer. */
export const failureOf = ({ reason }: UpstreamFailure) =>
  reason === "timeout"
    ? new StudentFailed({ reason: "timeout", message: "did not answer in time" })
    : failed(`did not answer: ${reason}`)

export interface EndpointStudent {
  /**
   * The first byte comes within the deployment's time; nothing is sent twice. For deployments that have an endpoint. A
   * `measured` answer is held back until its confidence is known; without a measure it passes byte by byte.
   */
  readonly ask: (
    partition: Partition,
    deployment: Deployment,
    request: ModelRequest,
    isMeasured: boolean
  ) => Effect.Effect<StudentResponse, StudentFailed, Scope.Scope>
}

/** Above it an answer is not parsed, and has no confidence. */
const isReadable = (bytes: Uint8Array): boolean => bytes.length <= ServingLimits.measuredBytesMax

const isPlain = ({ headers }: UpstreamResponse): boolean =>
  (headers["content-encoding"] ?? "identity").toLowerCase() === "identity"

/** An answer without a confidence goes to the fallback, as one that is below the threshold does. */
const measuredResponse = (
  { fallback, studentConfidence }: Deployment,
  response: UpstreamResponse,
  bytes: Uint8Array | null,
  keepsLogprobs: boolean
): StudentResponse => {
  const isUnsure = (confidence: number | null) => (confidence ?? 0) < (fallback?.belowConfidence ?? 0)
  if (bytes === null || !isReadable(bytes) || !isPlain(response)) {
    return { response, confidence: null, doubt: isUnsure(null) ? "confidence" : null }
  }
  const isEventStream = FirstBytes.isEventStream(response)
  const answer = MeasuredAnswer.of(bytes, { isEventStream, keepsLogprobs, told: studentConfidence })
  const { "content-length": length, ...others } = response.headers
  const headers = length === undefined ? others : { ...others, "content-length": String(answer.bytes.length) }
  return {
    response: { status: response.status, headers, body: Body.whole(answer.bytes) },
    confidence: answer.confidence,
    doubt: isUnsure(answer.confidence) ? "confidence" : null
  }
}

/** The request of a measured answer, and whether its client asked for the probabilities itself. */
const measuredRequest = Effect.fnUntraced(function* ({ studentConfidence }: Deployment, request: ModelRequest) {
  const headers = { ...request.headers, "accept-encoding": "identity" }
  if (request.body === null || studentConfidence?.from === "service") {
    return { request: { ...request, headers }, keepsLogprobs: true }
  }
  const { body, isClients } = yield* Turns.run(ModelMember.askingLogprobs(request.body))
  return { request: { ...request, headers, body }, keepsLogprobs: isClients }
})

export const make = Effect.gen(function* () {
  const upstream = yield* Upstream
  const deployments = yield* Deployments
  const managed = yield* ManagedStudents

  /** With a fallback, calls do not wait for a starting process. */
  const served = Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const wanted = { partition, deployment: deployment.id, student: deployment.studentModel }
    const found = yield* deployment.fallback === null ? managed.ready(wanted) : managed.now(wanted)
    return found ?? (yield* failed("is being started"))
  })

  const failedOf = (error: StudentFailed | StudentUnreadable | StorageError) => {
    if (error._tag === "StudentFailed") return error
    return failed(error._tag === "StorageError" ? "cannot be found now" : `is not served: ${error.message}`)
  }

  /** The URL and the credentials of the student's endpoint. A managed process has a port that no tenant's request reaches. */
  const placeOf = Effect.fnUntraced(function* (partition: Partition, deployment: Deployment, endpoint: Endpoint) {
    if (!isManaged(endpoint)) {
      const credentials = yield* deployments.credentials(partition, deployment)
      return { baseUrl: endpoint.baseUrl, credentials, toOwnProgram: false }
    }
    const server = yield* Effect.mapError(served(partition, deployment), failedOf)
    return { ...server, toOwnProgram: true }
  })

  const requestOf = Effect.fnUntraced(function* (
    partition: Partition,
    deployment: Deployment,
    endpoint: Endpoint,
    { body, headers, method, target }: ModelRequest
  ) {
    const { baseUrl, credentials, toOwnProgram } = yield* placeOf(partition, deployment, endpoint)
    const request: UpstreamRequest = {
      livemode: partition.livemode,
      toOwnProgram,
      method,
      url: baseUrl + target,
      headers: { ...headers, ...credentials },
      body: body === null ? null : yield* ModelMember.replaceModel(body, endpoint.model),
      // The timeout for pauses of a stream; the first byte, and a held body, have the deployment's timeout.
      timeoutMillis: CaptureLimits.timeoutMillis
    }
    return request
  })

  /** Within the deployment's time: the first bytes. `settled` waits for the rest. */
  const opened = Effect.fnUntraced(function* (request: UpstreamRequest, silenceMillis: number, isHeldBack: boolean) {
    const response = yield* upstream.open(request)
    if (isRefusal(response.status)) return { settled: Effect.succeed({ response, bytes: null }) }
    if (!isSuccess(response.status)) return yield* failed(`answered ${response.status}`)
    return yield* FirstBytes.awaitFirstBytes(response, { isHeldBack, silenceMillis })
  })

  const ask = Effect.fnUntraced(
    function* (partition: Partition, deployment: Deployment, call: ModelRequest, isMeasured: boolean) {
      const { endpoint, timeoutMillis } = deployment
      if (endpoint === null) return yield* failed("has no endpoint")
      const { keepsLogprobs, request: modelRequest } = isMeasured
        ? yield* measuredRequest(deployment, call)
        : { keepsLogprobs: true, request: call }
      const request = yield* FirstBytes.limitTime(
        timeoutMillis,
        requestOf(partition, deployment, endpoint, modelRequest)
      )
      const { settled } = yield* FirstBytes.limitTime(timeoutMillis, opened(request, timeoutMillis, isMeasured))
      const { bytes, response } = yield* settled
      const isGood = isSuccess(response.status)
      const answer: StudentResponse =
        isMeasured && isGood
          ? measuredResponse(deployment, response, bytes, keepsLogprobs)
          : { response, confidence: null, doubt: isGood ? null : "failed" }
      return answer
    },
    Effect.catchTag("UpstreamFailure", (failure) => Effect.fail(failureOf(failure)))
  )

  const student: EndpointStudent = { ask }
  return student
})
