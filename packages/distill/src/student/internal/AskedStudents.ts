/** Opens an external student: its endpoint, or a process that serves its artifact until the scope closes. */
import * as EndpointChat from "@limbeck/capture/source/EndpointChat"
import { Upstream } from "@limbeck/capture/upstream/Upstream"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Message } from "../../dataset/RowText.ts"
import { DistillLimits } from "../../Limits.ts"
import type { Artifact } from "../Artifact.ts"
import type { Prices } from "../Endpoint.ts"
import { type ModelServerFailed, ModelServers } from "../ModelServers.ts"
import * as StudentModel from "../StudentModel.ts"

/** A student that can be asked. */
export interface ExternalProbe {
  readonly prices: Prices
  /** Answers a prompt, within a limit of tokens and time. */
  readonly ask: (
    prompt: ReadonlyArray<Message>,
    maxTokens: number
  ) => Effect.Effect<EndpointChat.EndpointReply, EndpointChat.EndpointFailure>
}

const noPrices: Prices = { inputPerMillion: null, outputPerMillion: null }

/** It may be on its way up again. */
const away = ({ message }: ModelServerFailed) =>
  new EndpointChat.EndpointFailure({ reason: "transient", message: `does not answer: ${message}` })

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const upstream = yield* Upstream
  const servers = yield* ModelServers

  const asking = (
    model: string,
    prices: Prices,
    place: Effect.Effect<EndpointChat.EndpointPlace, EndpointChat.EndpointFailure>
  ): ExternalProbe => {
    const chat = EndpointChat.make(upstream)
    const timeoutMillis = DistillLimits.studentAnswerMillis
    return {
      prices,
      ask: (messages, maxTokens) =>
        Effect.flatMap(place, (there) => chat(there, { model, messages, maxTokens, timeoutMillis }))
    }
  }

  const credentialsOf = Effect.fnUntraced(function* (partition: Partition, id: string, sealedKey: string | null) {
    if (sealedKey === null) return {}
    return { authorization: `Bearer ${yield* secrets.open(sealedKey, StudentModel.sealContext(partition, id))}` }
  })

  const atEndpoint = Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    { baseUrl, model, sealedKey, ...prices }: StudentModel.StudentEndpoint
  ) {
    const credentials = yield* credentialsOf(partition, id, sealedKey)
    return asking(model, prices, Effect.succeed({ livemode: partition.livemode, baseUrl, credentials }))
  })

  /** By a process of this server, at a port that no tenant's request reaches. */
  const here = Effect.fnUntraced(function* (
    partition: Partition,
    { base, id }: StudentModel.StudentModel,
    artifact: Artifact
  ) {
    const held = yield* servers.hold(partition, { id, base, artifact })
    yield* held.ready
    const { livemode } = partition
    const place = Effect.map(held.ready, (server) => ({ ...server, livemode, toOwnProgram: true }))
    return asking(id, noPrices, Effect.mapError(place, away))
  })

  return Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, id))?.value
    if (found === undefined) return Option.none<ExternalProbe>()
    const { artifact, endpoint } = found
    if (endpoint !== null) return Option.some(yield* atEndpoint(partition, id, endpoint))
    return artifact === null ? Option.none<ExternalProbe>() : Option.some(yield* here(partition, found, artifact))
  })
})
