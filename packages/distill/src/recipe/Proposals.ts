/** Answers what recipe fits a dataset version. Reads only; starts no compute (service-api 4.1). */
import {
  type InvalidInput,
  invalid,
  type NotFound,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import * as Money from "@limbeck/core/money/Money"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import { NoStudentFits, VersionEmpty, VersionNotReady, type VersionUnusable } from "../Errors.ts"
import { DistillLimits } from "../Limits.ts"
import * as KnownRewards from "../reward/internal/KnownRewards.ts"
import { type Executor, Executors } from "../run/Executor.ts"
import { planHash } from "../run/internal/PlanHash.ts"
import * as Run from "../run/Run.ts"
import * as ComputeProfile from "./ComputeProfile.ts"
import { type ComputeProfileResource, render as renderProfile } from "./ComputeProfileResource.ts"
import { calibrationOf } from "./internal/ProfileCalibration.ts"
import * as TokenCounts from "./internal/TokenCounts.ts"
import * as Proposal from "./Proposal.ts"
import type { Objective, Outcome, Preferences } from "./ProposalInput.ts"
import { type ProposalResource, render } from "./ProposalResource.ts"
import type { StudentBase } from "./StudentBase.ts"
import { StudentCatalog } from "./StudentCatalog.ts"
import { StudentProbe } from "./StudentProbe.ts"

export interface ProposalRequest {
  readonly datasetVersion: string
  readonly objective: Objective
  readonly maxCostUsd: number
  readonly rewards: ReadonlyArray<string>
  /** Undefined: publish the student if there are holdout rows. */
  readonly outcome: Outcome | undefined
}

export class Proposals extends Context.Service<
  Proposals,
  {
    readonly propose: (
      partition: Partition,
      request: ProposalRequest
    ) => Effect.Effect<
      ProposalResource,
      InvalidInput | ReferenceUnknown | NotFound | VersionUnusable | NoStudentFits | StorageError
    >
    /** All compute profiles, each with how its estimates held in the newest live runs of the partition. */
    readonly profiles: (partition: Partition) => Effect.Effect<ReadonlyArray<ComputeProfileResource>, StorageError>
  }
>()("@limbeck/distill/recipe/Proposals") {}

const checkCost = (maxCostUsd: number): Result.Result<number, InvalidInput> => {
  const micros = Money.fromUsd(maxCostUsd)
  return micros === undefined || micros < 0
    ? Result.fail(invalid("max_cost_usd", `A cost is not negative, and in ${Money.wording}`))
    : Result.succeed(micros)
}

const checkRewards = (
  rewards: ReadonlyArray<string>,
  known: ReadonlySet<string>
): Result.Result<void, ReferenceUnknown> => {
  const missing = rewards.findIndex((id) => !known.has(id))
  return missing < 0
    ? Result.void
    : Result.fail(referenceUnknown("reward", rewards[missing] ?? "", `rewards[${missing}]`))
}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const catalog = yield* StudentCatalog
  const digest = yield* Digest
  const { speed } = yield* StudentProbe
  const tokensOf = yield* TokenCounts.make
  const executors = yield* Executors

  const trainerOf = (engine: StudentBase["engine"]) => executors.choose({ dryRun: false, engine })

  /** Why a live run of such a student would be refused. */
  const missingOf = (engine: StudentBase["engine"]): string | null =>
    Option.getOrNull(Result.getFailure(trainerOf(engine)))

  /** A version that a proposal can be made on. */
  const usableVersion = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const version = yield* Resources.requireValue(resources, partition, DatasetVersion.kind, id, "dataset_version")
    const { contentSha256, holdoutRows, profile, questions = [], status, trainRows } = version
    if (status !== "ready" || contentSha256 === null || profile === null) {
      return yield* new VersionNotReady({ id, status, field: "dataset_version" })
    }
    if (profile.rows === 0) return yield* new VersionEmpty({ id })
    return { contentSha256, holdoutRows, profile, questions, trainRows }
  })

  const propose = Effect.fn("Proposals.propose")(function* (partition: Partition, request: ProposalRequest) {
    const { objective, rewards } = request
    const maxCostMicros = yield* Effect.fromResult(checkCost(request.maxCostUsd))
    const version = yield* usableVersion(partition, request.datasetVersion)
    yield* Effect.fromResult(checkRewards(rewards, yield* KnownRewards.find(resources, partition, rewards)))
    const outcome = request.outcome ?? Proposal.outcomeFor(version)
    const wish: Preferences = { objective, maxCostMicros, outcome, rewards }
    const profile = yield* Effect.fromResult(catalog.findProfile(ComputeProfile.local.id))
    const { profiles, students } = catalog
    const builtinSpeed = yield* speed
    const missing = { builtin: missingOf("builtin"), llm: missingOf("llm") }
    const { lacks = {} } = Result.getOrElse(trainerOf("llm"), (): Pick<Executor, "lacks"> => ({}))
    const tokens = yield* tokensOf(partition, request.datasetVersion)
    const around = { students, profiles, profile, builtinSpeed, missing, lacks, tokens }
    const proposal = Proposal.propose(version, wish, around)
    if (proposal === undefined) return yield* new NoStudentFits({ datasetVersion: request.datasetVersion })
    const compute = { profile: profile.id, machine: profile.machine, spot: profile.spot, gpu: profile.gpu }
    const hash = yield* planHash({
      data: version.contentSha256,
      recipe: { student_model: proposal.student.id, stages: proposal.stages, rewards: wish.rewards },
      budget: { max_cost_usd: request.maxCostUsd },
      compute
    }).pipe(Effect.provideService(Digest, digest))
    return render(partition, { datasetVersion: request.datasetVersion, wish, proposal, compute, planHash: hash })
  })

  const profiles = Effect.fn("Proposals.profiles")(function* (partition: Partition) {
    const labels = ["status:succeeded", "dry_run:false"]
    const { items } = yield* resources.page(partition, Run.kind, labels, firstPage(DistillLimits.calibrationRunsMax))
    return catalog.profiles.map((profile) => renderProfile(profile, calibrationOf(profile.id, items)))
  })

  return Proposals.of({ propose, profiles })
})

export const layer: Layer.Layer<Proposals, never, ResourceStore | StudentCatalog | StudentProbe | Executors | Digest> =
  Layer.effect(Proposals, make)
