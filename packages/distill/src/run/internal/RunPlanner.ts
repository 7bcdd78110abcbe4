/** Makes a run of a request, or gives one a new budget: looks up what the request names, applies every rule, hashes the plan. */
import { invalid, referenceUnknown } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Clock from "effect/Clock"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DatasetVersion } from "../../dataset/DatasetVersion.ts"
import { KnownVersions } from "../../dataset/internal/KnownVersions.ts"
import { BudgetTooSmall, NoExecutor, VersionEmpty, VersionNotReady } from "../../Errors.ts"
import * as KnownLoops from "../../loop/internal/KnownLoops.ts"
import { Candidates } from "../../race/Candidates.ts"
import * as CandidateTokens from "../../race/CandidateTokens.ts"
import { HostedModels } from "../../race/HostedModels.ts"
import * as RecipeRules from "../../recipe/internal/RecipeRules.ts"
import * as TokenCounts from "../../recipe/internal/TokenCounts.ts"
import * as Recipe from "../../recipe/Recipe.ts"
import type { StudentBase } from "../../recipe/StudentBase.ts"
import { StudentCatalog } from "../../recipe/StudentCatalog.ts"
import { StudentProbe } from "../../recipe/StudentProbe.ts"
import * as KnownRewards from "../../reward/internal/KnownRewards.ts"
import * as KnownStudents from "../../student/internal/KnownStudents.ts"
import { EndpointExecutor, Executors } from "../Executor.ts"
import * as NewRun from "../NewRun.ts"
import * as Run from "../Run.ts"
import * as RunRequest from "../RunRequest.ts"
import { planHash } from "./PlanHash.ts"
import { checkBudget, checkProof } from "./RunRules.ts"

const decodeRecipe = Schema.decodeUnknownEffect(Recipe.Recipe)

/** Checks that the run's version, and its loop, if named, exist and are ready. */
const makeData = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const digest = yield* Digest
  const versions = yield* KnownVersions

  const readyVersion = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const version = yield* versions.get(partition, id, "dataset_version")
    if (version.status !== "ready" || version.contentSha256 === null) {
      return yield* new VersionNotReady({ id, status: version.status, field: "dataset_version" })
    }
    if (version.rows === 0) return yield* new VersionEmpty({ id })
    return { ...version, contentSha256: version.contentSha256 }
  })

  /** Also one that is being built: its rows are not known yet, and neither is the data of the plan. */
  const awaitedVersion = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const version = yield* versions.get(partition, id, "dataset_version")
    return version.status === "building"
      ? { ...version, contentSha256: version.id }
      : yield* readyVersion(partition, id)
  })

  const hashOf = (data: string, run: Pick<Run.Run, "recipe" | "compute">, maxCostUsd: number) =>
    planHash({ data, recipe: run.recipe, budget: { max_cost_usd: maxCostUsd }, compute: run.compute }).pipe(
      Effect.provideService(Digest, digest)
    )

  const rehearsalOf = (partition: Partition, id: string | null) =>
    id === null ? Effect.succeed(null) : Resources.requireValue(resources, partition, Run.kind, id, "validated_dry_run")

  return { awaitedVersion, hashOf, readyVersion, rehearsalOf } as const
})

/** Checks that the sources of candidates exist; returns the estimated cost of all their calls, in micro-dollars. */
const makeCandidateCost = Effect.map(Candidates, (candidates) =>
  Effect.fnUntraced(function* (partition: Partition, recipe: Recipe.Recipe, version: DatasetVersion) {
    const tokens = CandidateTokens.perCall(version)
    let micros = 0
    for (const { candidate, path } of RecipeRules.candidatesOf(recipe)) {
      const own = CandidateTokens.withInstructions(tokens, candidate)
      const estimate = yield* candidates.estimate(partition, candidate, own)
      if (Option.isNone(estimate)) return yield* referenceUnknown("source", candidate.source, `${path}.source`)
      micros += (estimate.value ?? 0) * CandidateTokens.rowsOf(recipe, version)
    }
    return Math.ceil(micros)
  })
)

/** Validates the source of embeddings; returns the estimated cost of all its calls, in micro-dollars. */
const makeEmbeddingCost = Effect.map(HostedModels, (hosted) =>
  Effect.fnUntraced(function* (partition: Partition, recipe: Recipe.Recipe, version: DatasetVersion) {
    const named = RecipeRules.embeddingsOf(recipe)
    if (named === undefined) return 0
    const param = `${named.path}.source`
    const found = Option.getOrUndefined(yield* hosted.open(partition, named.embeddings))
    if (found === undefined) return yield* referenceUnknown("source", named.embeddings.source, param)
    const { estimate, refusal } = found.embeddings
    if (refusal !== null) return yield* invalid(param, refusal)
    return Math.ceil(estimate(CandidateTokens.embedded(recipe, version)) ?? 0)
  })
)

const makeNewRun = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const executors = yield* Executors
  const probe = yield* StudentProbe
  const tokensOf = yield* TokenCounts.make
  const catalog = yield* StudentCatalog
  const studentOf = yield* KnownStudents.make
  const endpoint = yield* EndpointExecutor
  const { awaitedVersion, hashOf, readyVersion, rehearsalOf } = yield* makeData
  const candidateCost = yield* makeCandidateCost
  const embeddingCost = yield* makeEmbeddingCost

  const choose = ({ engine, served }: StudentBase, dryRun: boolean) =>
    served === undefined || dryRun ? executors.choose({ dryRun, engine }) : Result.succeed(endpoint)

  return Effect.fnUntraced(function* (partition: Partition, asked: RunRequest.RunRequest) {
    const request = yield* Effect.fromResult(RunRequest.complete(partition, asked))
    const versionOf = request.retrains === null ? readyVersion : awaitedVersion
    const version = yield* versionOf(partition, request.datasetVersion)
    yield* KnownLoops.check(resources, partition, request.loop)
    const student = yield* studentOf(partition, request.recipe.student_model)
    const profile = yield* Effect.fromResult(catalog.findProfile(request.profile))
    const rewards = yield* KnownRewards.find(resources, partition, RecipeRules.rewardIdsOf(request.recipe))
    yield* Effect.fromResult(RecipeRules.check(request.recipe, student, rewards))
    yield* Effect.fromResult(RecipeRules.checkRepeats(request.recipe, version))
    yield* Effect.fromResult(RecipeRules.checkConversations(request.recipe, version))
    if (version.profile !== null) {
      yield* Effect.fromResult(RecipeRules.checkData(student, { ...version, profile: version.profile }, request.recipe))
    }
    const candidateMicros =
      (yield* candidateCost(partition, request.recipe, version)) +
      (yield* embeddingCost(partition, request.recipe, version))
    const budgetMicros = yield* Effect.fromResult(checkBudget(request.maxCostUsd, request.dryRun))
    const plan = { recipe: request.recipeAsSent, compute: NewRun.computeOf(profile) }
    const hash = yield* hashOf(version.contentSha256, plan, request.maxCostUsd)
    const rehearsal = yield* rehearsalOf(partition, request.validatedDryRun)
    yield* Effect.fromResult(checkProof(request, rehearsal, hash))
    const executor = choose(student, request.dryRun)
    if (Result.isFailure(executor)) return yield* new NoExecutor({ studentModel: student.id, reason: executor.failure })
    return NewRun.make({
      id: yield* ids.make("run"),
      now: yield* Clock.currentTimeMillis,
      request,
      version,
      profile,
      student,
      builtinSpeed: student.engine === "builtin" ? yield* probe.speed : 1,
      tokens:
        student.engine === "llm" && version.status === "ready"
          ? (yield* tokensOf(partition, version.id)).get(student.id)
          : undefined,
      candidateMicros,
      budgetMicros,
      planHash: hash,
      rehearsal,
      executor: executor.success.name,
      missing: Option.getOrNull(Result.getFailure(choose(student, false))),
      traceparent: yield* Trace.current
    })
  })
})

export const make = Effect.gen(function* () {
  const { hashOf, readyVersion } = yield* makeData
  /** The run that the request asks for, not written yet. */
  const newRun = yield* makeNewRun

  /** The plan of a run whose version is ready by now. */
  const planned = Effect.fnUntraced(function* (partition: Partition, run: Run.Run) {
    const made = yield* newRun(partition, {
      name: run.name,
      studentModelName: run.studentModelName,
      datasetVersion: run.datasetVersion,
      // The request was checked when the run was made.
      recipe: yield* Effect.orDie(decodeRecipe(run.recipe)),
      recipeAsSent: run.recipe,
      maxCostUsd: Money.toUsd(run.budgetMicros),
      profile: run.compute.profile,
      dryRun: run.dryRun,
      loop: run.loop,
      retrains: run.retrains
    })
    const { awaitsVersion: _, ...kept } = run
    const { compute, estimate, executor, loop, planHash, prices, stages, warnings } = made
    const plan = { compute, estimate, executor, loop, planHash, prices, stages }
    return { ...kept, ...plan, ...(warnings === undefined ? {} : { warnings }) }
  })

  /** The run with another budget; its new plan has no rehearsal. */
  const withBudget = Effect.fnUntraced(function* (partition: Partition, run: Run.Run, maxCostUsd: number) {
    const version = yield* readyVersion(partition, run.datasetVersion)
    const budgetMicros = yield* Effect.fromResult(checkBudget(maxCostUsd, run.dryRun))
    if (!run.dryRun && budgetMicros <= run.totals.costMicros) {
      return yield* new BudgetTooSmall({ spentMicros: run.totals.costMicros, askedMicros: budgetMicros })
    }
    if (budgetMicros === run.budgetMicros) return run
    const hash = yield* hashOf(version.contentSha256, run, maxCostUsd)
    return { ...run, budgetMicros, planHash: hash, validatedDryRun: null }
  })

  return { newRun, planned, withBudget } as const
})
