/**
 * Students trained elsewhere: registered with an endpoint, or with an uploaded artifact that this server serves, then
 * evaluated and deployed (contract 15.16).
 */
import type { Upstream } from "@limbeck/capture/upstream/Upstream"
import { type InvalidInput, invalid, type NotFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { ContentNotReady, ContentRemoved } from "../Errors.ts"
import * as Run from "../run/Run.ts"
import * as AskedStudents from "./internal/AskedStudents.ts"
import * as RegisteredEndpoint from "./internal/RegisteredEndpoint.ts"
import * as UploadedArtifact from "./internal/UploadedArtifact.ts"
import type { ModelServerFailed, ModelServers } from "./ModelServers.ts"
import * as StudentModel from "./StudentModel.ts"

export type { EndpointFailure, EndpointReply } from "@limbeck/capture/source/EndpointChat"
export type { ExternalProbe } from "./internal/AskedStudents.ts"

export interface NewExternalStudent {
  readonly name: string
  /** The base model, in the registrant's words. */
  readonly baseModel: string
  /** Null without an artifact: a deployment must then name the endpoint, and the student cannot be evaluated. */
  readonly endpoint: RegisteredEndpoint.NewEndpoint | null
  /** The artifact to serve, instead of an endpoint. */
  readonly artifact: UploadedArtifact.NewArtifact | null
  /** A run of this workspace and mode, linked to the student. */
  readonly run: string | null
}

export class ExternalStudents extends Context.Service<
  ExternalStudents,
  {
    readonly register: (
      partition: Partition,
      request: NewExternalStudent
    ) => Effect.Effect<
      StudentModel.StudentModel,
      InvalidInput | NotFound | ContentNotReady | ContentRemoved | StorageError
    >
    /**
     * None for an unknown student, and for a student without endpoint and artifact. Serves an artifact until the scope
     * closes.
     */
    readonly open: (
      partition: Partition,
      id: string
    ) => Effect.Effect<Option.Option<AskedStudents.ExternalProbe>, ModelServerFailed | StorageError, Scope.Scope>
  }
>()("@limbeck/distill/student/ExternalStudents") {}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const endpointOf = yield* RegisteredEndpoint.make
  const artifactOf = yield* UploadedArtifact.make
  const open = yield* AskedStudents.make

  const register = Effect.fn("ExternalStudents.register")(function* (
    partition: Partition,
    request: NewExternalStudent
  ) {
    const { baseModel, name } = request
    if (baseModel.startsWith("builtin/")) {
      return yield* invalid("base_model", "A builtin student is trained here, by a run")
    }
    if (request.endpoint !== null && request.artifact !== null) {
      return yield* invalid(
        "artifact",
        "A student is served at its endpoint, or by this server from its artifact: not both"
      )
    }
    const id = yield* ids.make("stu")
    const endpoint = request.endpoint === null ? null : yield* endpointOf(partition, id, request.endpoint)
    const run =
      request.run === null ? null : yield* Resources.requireValue(resources, partition, Run.kind, request.run, "run")
    const artifact = request.artifact === null ? null : yield* artifactOf(partition, request.artifact)
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
      artifact,
      accuracy: null,
      holdout: null,
      agreementAt: [],
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, StudentModel.kind, student)
    return student
  })

  return ExternalStudents.of({ register, open: Effect.fn("ExternalStudents.open")(open) })
})

export const layer: Layer.Layer<ExternalStudents, never, ResourceStore | Secrets | Ids | Upstream | ModelServers> =
  Layer.effect(ExternalStudents, make)
