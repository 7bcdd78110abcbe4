/** A student that is served at an endpoint of its own: any server that speaks chat completions. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Deployment, Endpoint } from "../deployment/Deployment.ts"
import { Deployments } from "../deployment/Deployments.ts"
import { Limits } from "../Limits.ts"
import type { Message } from "../proxy/Forward.ts"
import { isSuccess, Upstream, UpstreamFailure, type UpstreamRequest } from "../upstream/Upstream.ts"
import * as Beginning from "./Beginning.ts"
import * as ModelMember from "./ModelMember.ts"
import { StudentFailed, type StudentSaid } from "./StudentSaid.ts"

/** Said to the client, unless somebody has a better answer: the request may be at fault. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

const failureOf = ({ reason }: UpstreamFailure) =>
  reason === "timeout"
    ? new StudentFailed({ reason: "timeout", message: "did not answer in time" })
    : failed(`did not answer: ${reason}`)

const within = <A, E, R>(timeoutMillis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeoutMillis,
    orElse: () => Effect.fail(new UpstreamFailure({ reason: "timeout" }))
  })

export interface EndpointStudent {
  /** The first byte comes within the deployment's time; nothing is sent twice. For deployments that have an endpoint. */
  readonly ask: (
    partition: Partition,
    deployment: Deployment,
    message: Message
  ) => Effect.Effect<StudentSaid, StudentFailed, Scope.Scope>
}

export const make = Effect.gen(function* () {
  const upstream = yield* Upstream
  const deployments = yield* Deployments
  const requestOf = Effect.fnUntraced(function* (
    partition: Partition,
    deployment: Deployment,
    { baseUrl, model }: Endpoint,
    { body, headers, method, target }: Message
  ) {
    const request: UpstreamRequest = {
      livemode: partition.livemode,
      method,
      url: baseUrl + target,
      headers: { ...headers, ...(yield* deployments.credentials(partition, deployment)) },
      body: body === null ? null : ModelMember.replaced(body, model),
      // Of the silences after the first byte; the wait for that one has a limit of its own.
      timeoutMillis: Limits.timeoutMillis
    }
    return request
  })

  const begun = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const answer = yield* upstream.open(request)
    if (isRefusal(answer.status)) return { answer, settled: Effect.succeed(answer) }
    if (!isSuccess(answer.status)) return yield* failed(`answered ${answer.status}`)
    return { answer, ...(yield* Beginning.begin(answer)) }
  })

  const ask = Effect.fnUntraced(
    function* (partition: Partition, deployment: Deployment, message: Message) {
      const { endpoint, timeoutMillis } = deployment
      if (endpoint === null) return yield* failed("has no endpoint")
      const request = yield* requestOf(partition, deployment, endpoint, message)
      const { answer, settled } = yield* within(timeoutMillis, begun(request))
      const said: StudentSaid = {
        answer: yield* settled,
        confidence: null,
        doubt: isSuccess(answer.status) ? null : "failed"
      }
      return said
    },
    Effect.catchTag("UpstreamFailure", (failure) => Effect.fail(failureOf(failure)))
  )

  const student: EndpointStudent = { ask }
  return student
})
