/**
 * Trains the student of a deployment again, on the deployment's calls and the rows of the student's own version:
 *
 *     request ──▶ version building, run queued ──▶ run planned ──▶ run succeeded ──▶ challenger in shadow
 *
 * Each arrow is one transaction that also makes the next step due, so a process may die between any two of them. The first is
 * here, the second and the third are `RunPlanning` and the run's scheduler, the last is `ChallengerWorker`.
 */
import type { NotFound } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import { Recipe } from "@limbeck/distill/recipe/Recipe"
import * as Run from "@limbeck/distill/run/Run"
import { type CreatedRun, Runs } from "@limbeck/distill/run/Runs"
import { ModelServers } from "@limbeck/distill/student/ModelServers"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Deployment from "../deployment/Deployment.ts"
import { DeploymentRetired, StudentNotRetrainable } from "../Errors.ts"

export interface RetrainingRequest {
  readonly maxCostUsd: number
  /** By default false. In test mode every run is a dry run. */
  readonly dryRun: boolean
}

type RunRefusal = Effect.Error<ReturnType<(typeof Runs.Service)["create"]>>
type VersionRefusal = Effect.Error<ReturnType<(typeof Datasets.Service)["createVersion"]>>

export class Retrainings extends Context.Service<
  Retrainings,
  {
    /** A queued run of the student's own recipe, whose version is being built. A live one ends as a challenger in shadow. */
    readonly start: (
      partition: Partition,
      deployment: string,
      request: RetrainingRequest
    ) => Effect.Effect<CreatedRun, RunRefusal | VersionRefusal | NotFound | DeploymentRetired | StudentNotRetrainable>
  }
>()("@limbeck/serving/retraining/Retrainings") {}

const decodeRecipe = Schema.decodeUnknownEffect(Recipe)

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const datasets = yield* Datasets
  const runs = yield* Runs
  const servers = yield* ModelServers

  /** The run that made the student. */
  const trainingOf = Effect.fnUntraced(function* (
    partition: Partition,
    { endpoint, studentModel }: Deployment.Deployment
  ) {
    const refuse = (reason: string) => new StudentNotRetrainable({ id: studentModel, reason })
    const student = yield* Resources.requireValue(resources, partition, StudentModel.kind, studentModel)
    if (student.origin === "external" || student.run === null) {
      return yield* refuse("it was trained elsewhere, and no run has its recipe")
    }
    if (endpoint !== null && !(Deployment.isManaged(endpoint) && servers.isSetUp)) {
      return yield* refuse("its endpoint serves this student alone. Set SERVING_COMMAND for students with an artifact")
    }
    return yield* Resources.requireValue(resources, partition, Run.kind, student.run)
  })

  /** Rows of before with the split of before, so that old and new student can be compared on what both did not learn. */
  const newVersion = Effect.fnUntraced(function* (partition: Partition, deployment: string, run: Run.Run) {
    const own = yield* Resources.requireValue(resources, partition, DatasetVersion.kind, run.datasetVersion)
    return yield* datasets.createVersion(partition, own.dataset, {
      from: { calls: { deployment }, versions: [own.id] },
      holdoutFraction: own.holdoutFraction,
      redact: own.redact ?? [],
      seed: own.seed
    })
  })

  const start = Effect.fn("Retrainings.start")(function* (
    partition: Partition,
    id: string,
    { dryRun, maxCostUsd }: RetrainingRequest
  ) {
    const deployment = yield* Resources.requireValue(resources, partition, Deployment.kind, id)
    if (deployment.status === "retired") return yield* new DeploymentRetired({ id })
    const training = yield* trainingOf(partition, deployment)
    // A run that has succeeded has a recipe of this schema.
    const recipe = yield* Effect.orDie(decodeRecipe(training.recipe))
    return yield* storage.transaction(
      Effect.gen(function* () {
        const version = yield* newVersion(partition, id, training)
        return yield* runs.create(partition, {
          name: `Retraining of ${Deployment.modelOf(deployment)}`,
          studentModelName: training.studentModelName,
          datasetVersion: version.id,
          recipe,
          recipeAsSent: training.recipe,
          maxCostUsd,
          profile: training.compute.profile,
          dryRun,
          loop: deployment.loop,
          retrains: id
        })
      })
    )
  })

  return Retrainings.of({ start })
})

export const layer: Layer.Layer<Retrainings, never, Storage | ResourceStore | Datasets | Runs | ModelServers> =
  Layer.effect(Retrainings, make)
