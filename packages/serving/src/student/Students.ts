/** The students that may be deployed: found by id, and loaded. */
import type { SourceChat } from "@limbeck/capture/source/SourceChat"
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { StudentCatalog } from "@limbeck/distill/recipe/StudentCatalog"
import { stubName } from "@limbeck/distill/run/Executor"
import * as Run from "@limbeck/distill/run/Run"
import type { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as StudentShelf from "@limbeck/serving/student/StudentShelf"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { ServingLimits } from "../Limits.ts"
import * as RequestEmbeddings from "./internal/RequestEmbeddings.ts"
import type { LoadedStudent, Student, StudentUnreadable } from "./internal/Student.ts"

export class Students extends Context.Service<
  Students,
  {
    readonly find: (partition: Partition, id: string) => Effect.Effect<Option.Option<Student>, StorageError>
    /** A builtin student; kept in memory while a caller's scope is open. */
    readonly load: (
      partition: Partition,
      id: string
    ) => Effect.Effect<LoadedStudent, StudentUnreadable | StorageError, Scope.Scope>
  }
>()("@limbeck/serving/student/Students") {}

/** The name of a base that has left the catalog shows its engine. */
const engineOf = (catalog: StudentCatalog["Service"], { base }: StudentModel.StudentModel): Student["engine"] =>
  catalog.students.find(({ id }) => id === base)?.engine ?? (base.startsWith("builtin/") ? "builtin" : "llm")

/** The result of a rehearsal or a stub is no student; a builtin one needs its artifact. */
const isDeployable = (
  { livemode }: Partition,
  { artifact, executor }: StudentModel.StudentModel,
  engine: Student["engine"]
): boolean => livemode && executor !== stubName && (engine === "llm" || artifact !== null)

const studentOf = (
  partition: Partition,
  catalog: StudentCatalog["Service"],
  model: StudentModel.StudentModel,
  loop: string | null
): Student => {
  const engine = engineOf(catalog, model)
  const { artifact, base, agreementAt, endpoint, heldOut, holdout, id, name, questionEvidence, toldConfidence } = model
  return {
    id,
    name,
    base,
    engine,
    loop,
    deployable: isDeployable(partition, model, engine),
    endpoint,
    artifact,
    embeddingSource: model.embeddings?.source,
    holdout,
    agreementAt,
    questionEvidence: questionEvidence ?? null,
    heldOut: heldOut ?? [],
    ...(engine === "llm" ? { toldConfidence } : {})
  }
}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const catalog = yield* StudentCatalog
  const { load } = yield* StudentShelf.make(ServingLimits.studentsBytesMax, yield* RequestEmbeddings.make)

  const find = Effect.fnUntraced(function* (
    partition: Partition,
    id: string
  ): Effect.fn.Return<Option.Option<Student>, StorageError> {
    const model = Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, id))?.value
    if (model === undefined) return Option.none()
    const run =
      model.run === null
        ? undefined
        : Option.getOrUndefined(yield* resources.find(partition, Run.kind, model.run))?.value
    return Option.some(studentOf(partition, catalog, model, run?.loop ?? null))
  })

  return Students.of({ find, load })
})

export const layer: Layer.Layer<Students, never, ResourceStore | Blobs | StudentEngine | StudentCatalog | SourceChat> =
  Layer.effect(Students, make)
