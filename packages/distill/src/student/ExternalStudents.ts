/** Students that were trained elsewhere: registered here, asked at their endpoint, and so evaluated and deployed (contract 15.16). */
import { ask, type EndpointFailure, type EndpointReply } from "@limbeck/capture/source/EndpointChat"
import * as SourceRules from "@limbeck/capture/source/SourceRules"
import { Upstream } from "@limbeck/capture/upstream/Upstream"
import { type InvalidInput, invalid, type NotFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Message } from "../dataset/RowText.ts"
import { DistillLimits } from "../Limits.ts"
import * as Run from "../run/Run.ts"
import type { Prices } from "./Endpoint.ts"
import * as StudentModel from "./StudentModel.ts"

export type { EndpointFailure, EndpointReply } from "@limbeck/capture/source/EndpointChat"

export interface NewExternalStudent {
  readonly name: string
  /** What it was trained from, in the words of who trained it. */
  readonly baseModel: string
  /** Null: where it is deployed, its endpoint is to be named. It cannot be evaluated. */
  readonly endpoint:
    | (Prices & { readonly baseUrl: string; readonly model: string; readonly apiKey: string | null })
    | null
  /** A run of this workspace and mode that it belongs to. */
  readonly run: string | null
}

/** A student that can be asked. */
export interface AskedStudent {
  readonly prices: Prices
  /** One answer to a prompt, of so many tokens at most, within a limit of time. */
  readonly ask: (prompt: ReadonlyArray<Message>, maxTokens: number) => Effect.Effect<EndpointReply, EndpointFailure>
}

export class ExternalStudents extends Context.Service<
  ExternalStudents,
  {
    readonly register: (
      partition: Partition,
      request: NewExternalStudent
    ) => Effect.Effect<StudentModel.StudentModel, InvalidInput | NotFound | StorageError>
    /** None: there is no such student, or it has no endpoint. */
    readonly open: (partition: Partition, id: string) => Effect.Effect<Option.Option<AskedStudent>, StorageError>
  }
>()("@limbeck/distill/student/ExternalStudents") {}

const within = <A>(checked: Result.Result<A, InvalidInput>): Result.Result<A, InvalidInput> =>
  Result.mapError(checked, ({ message, param }) => invalid(`endpoint.${param}`, message))

const price = (field: string, usd: number | null): Result.Result<number | null, InvalidInput> =>
  usd === null || Money.fromUsd(usd) !== undefined
    ? Result.succeed(usd)
    : Result.fail(invalid(`endpoint.${field}`, "US dollars, with at most 6 decimals"))

/** Held to the rules of a source's, with its key sealed. */
const makeEndpointOf = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { policy } = yield* Upstream

  return Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    asked: NonNullable<NewExternalStudent["endpoint"]>
  ) {
    const { apiKey, model } = asked
    const endpoint: StudentModel.StudentEndpoint = {
      baseUrl: yield* Effect.fromResult(within(SourceRules.baseUrl(policy, partition.livemode, asked.baseUrl))),
      model,
      inputPerMillion: yield* Effect.fromResult(price("input_per_million", asked.inputPerMillion)),
      outputPerMillion: yield* Effect.fromResult(price("output_per_million", asked.outputPerMillion)),
      sealedKey: null,
      keyLast4: null
    }
    if (apiKey === null) return endpoint
    const key = yield* Effect.fromResult(within(SourceRules.apiKey(apiKey)))
    const sealedKey = yield* secrets.seal(key, StudentModel.sealContext(partition, id))
    return { ...endpoint, sealedKey, keyLast4: SourceRules.last4(key) }
  })
})

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const ids = yield* Ids
  const upstream = yield* Upstream
  const endpointOf = yield* makeEndpointOf

  const register = Effect.fn("ExternalStudents.register")(function* (
    partition: Partition,
    request: NewExternalStudent
  ) {
    const { baseModel, name } = request
    if (baseModel.startsWith("builtin/")) {
      return yield* invalid("base_model", "A builtin student is trained here, by a run")
    }
    const id = yield* ids.make("stu")
    const endpoint = request.endpoint === null ? null : yield* endpointOf(partition, id, request.endpoint)
    const run =
      request.run === null ? null : yield* Resources.requireValue(resources, partition, Run.kind, request.run, "run")
    const student: StudentModel.StudentModel = {
      id,
      origin: "external",
      name,
      base: baseModel,
      run: run?.id ?? null,
      report: null,
      datasetVersion: null,
      executor: StudentModel.externalName,
      endpoint,
      artifact: null,
      accuracy: null,
      holdout: null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, StudentModel.kind, student)
    return student
  })

  const credentialsOf = Effect.fnUntraced(function* (partition: Partition, id: string, sealedKey: string | null) {
    if (sealedKey === null) return {}
    return { authorization: `Bearer ${yield* secrets.open(sealedKey, StudentModel.sealContext(partition, id))}` }
  })

  const open = Effect.fn("ExternalStudents.open")(function* (partition: Partition, id: string) {
    const found = Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, id))?.value
    if (found === undefined || found.endpoint === null) return Option.none<AskedStudent>()
    const { baseUrl, model, sealedKey, ...prices } = found.endpoint
    const credentials = yield* credentialsOf(partition, id, sealedKey)
    const { livemode } = partition
    return Option.some<AskedStudent>({
      prices,
      ask: (messages, maxTokens) =>
        ask(upstream, {
          livemode,
          baseUrl,
          credentials,
          model,
          messages,
          maxTokens,
          timeoutMillis: DistillLimits.studentAnswerMillis
        })
    })
  })

  return ExternalStudents.of({ register, open })
})

export const layer: Layer.Layer<ExternalStudents, never, ResourceStore | Secrets | Ids | Upstream> = Layer.effect(
  ExternalStudents,
  make
)
