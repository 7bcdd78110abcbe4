/** A student that is served at an endpoint of its own: any server that speaks chat completions. */

import { CaptureLimits } from "@limbeck/capture/Limits"
import type { ModelRequest } from "@limbeck/capture/source/Forward"
import { isSuccess, Upstream, type UpstreamFailure, type UpstreamRequest } from "@limbeck/capture/upstream/Upstream"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Endpoint } from "@limbeck/distill/student/Endpoint"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Deployment, isManaged } from "../../deployment/Deployment.ts"
import { Deployments } from "../../deployment/Deployments.ts"
import { ManagedStudents } from "../ManagedStudents.ts"
import * as FirstBytes from "./FirstBytes.ts"
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
  /** The first byte comes within the deployment's time; nothing is sent twice. For deployments that have an endpoint. */
  readonly ask: (
    partition: Partition,
    deployment: Deployment,
    request: ModelRequest
  ) => Effect.Effect<StudentResponse, StudentFailed, Scope.Scope>
}

export const make = Effect.gen(function* () {
  const upstream = yield* Upstream
  const deployments = yield* Deployments
  const managed = yield* ManagedStudents

  /** Who has a fallback does not wait for a process that is being started. */
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
      body: body === null ? null : yield* ModelMember.replaced(body, endpoint.model),
      // Of the silences of a stream; the first byte, and a body that is held until it is whole, have the deployment's limit.
      timeoutMillis: CaptureLimits.timeoutMillis
    }
    return request
  })

  /** Within the deployment's time: the first bytes. `settled` waits for the rest. */
  const opened = Effect.fnUntraced(function* (request: UpstreamRequest, timeoutMillis: number) {
    const response = yield* upstream.open(request)
    if (isRefusal(response.status)) return { settled: Effect.succeed(response) }
    if (!isSuccess(response.status)) return yield* failed(`answered ${response.status}`)
    return yield* FirstBytes.awaited(response, timeoutMillis)
  })

  const ask = Effect.fnUntraced(
    function* (partition: Partition, deployment: Deployment, asked: ModelRequest) {
      const { endpoint, timeoutMillis } = deployment
      if (endpoint === null) return yield* failed("has no endpoint")
      const request = yield* FirstBytes.within(timeoutMillis, requestOf(partition, deployment, endpoint, asked))
      const { settled } = yield* FirstBytes.within(timeoutMillis, opened(request, timeoutMillis))
      const response = yield* settled
      const doubt = isSuccess(response.status) ? null : "failed"
      const answer: StudentResponse = { response, confidence: null, doubt }
      return answer
    },
    Effect.catchTag("UpstreamFailure", (failure) => Effect.fail(failureOf(failure)))
  )

  const student: EndpointStudent = { ask }
  return student
})
