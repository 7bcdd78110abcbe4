/**
 * Counts verifications, and takes a student below its floor out of traffic. Any number of servers may count: each
 * verification is taken once, and a conflicting count is repeated.
 */
import { CallStore, type InPartition, verificationTopic } from "@limbeck/capture/call/CallStore"
import type { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import * as WorkerLoop from "@limbeck/core/queue/WorkerLoop"
import type * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore, type RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployment from "../deployment/Deployment.ts"
import { DeploymentEvent } from "../deployment/DeploymentMachine.ts"
import * as AliasCache from "../deployment/internal/AliasCache.ts"
import * as DeploymentChanges from "../deployment/internal/DeploymentChanges.ts"
import { ServingLimits } from "../Limits.ts"
import * as AgreementRules from "./AgreementRules.ts"
import * as DriftRules from "./DriftRules.ts"
import * as ComparisonMeter from "./internal/ComparisonMeter.ts"
import * as QuestionCounts from "./internal/QuestionCounts.ts"
import * as Watch from "./internal/Watch.ts"
import * as VerificationRules from "./VerificationRules.ts"

export class GuardWorker extends Context.Service<
  GuardWorker,
  {
    /** Counts what waits, up to a bound; returns how much that was. */
    readonly runOnce: Effect.Effect<number, StorageError>
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/serving/guard/GuardWorker") {}

type VerificationCounts = Pick<Watch.Counts, "comparisons" | "pendingWaivers">

interface Count extends VerificationCounts {
  readonly breach: Deployment.Breach | null
}

/** Counts comparisons in order until the student is below its floor. Pending waivers turn differences into agreement. */
const counted = (
  before: VerificationCounts,
  asked: AgreementRules.RequestedFloor,
  results: ReadonlyArray<ShadowResult>
): Count => {
  let { comparisons, pendingWaivers } = before
  for (const { agrees } of results) {
    if (agrees === null) continue
    const isWaived = !agrees && pendingWaivers > 0
    if (isWaived) pendingWaivers--
    comparisons = AgreementRules.add(comparisons, agrees || isWaived)
    if (agrees || isWaived || !AgreementRules.isBreached(comparisons, asked)) continue
    const agreement = AgreementRules.agreementOf(comparisons)
    const { compared } = AgreementRules.totalOf(comparisons)
    const breach = agreement === null ? null : { floor: asked.floor, ...agreement, comparisons: compared }
    if (breach !== null) return { comparisons, pendingWaivers, breach }
  }
  return { comparisons, pendingWaivers, breach: null }
}

/** Of deployments from before the evidence was kept. */
const noEvidence: AgreementRules.Tally = { compared: 0, agreed: 0 }

/** Of a student of decisions as a whole: its questions have floors of their own. */
const zeroFloor: AgreementRules.RequestedFloor = { floor: 0, isGiven: true, evidence: noEvidence }

/** Counts results for one deployment. */
const makeCount = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const meter = yield* ComparisonMeter.make
  const changes = yield* DeploymentChanges.make

  const keep = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Effect.Success<ReturnType<typeof findWatch>>,
    watch: Watch.Watch
  ) {
    if (Option.isNone(stored)) return yield* resources.insert(partition, Watch.kind, watch)
    yield* resources.compareAndSet(partition, Watch.kind, { ...stored.value, value: watch })
  })

  const findWatch = (partition: Partition, id: string) => resources.find(partition, Watch.kind, id)

  const breached = (
    partition: Partition,
    stored: Kind.StoredResource<Deployment.Deployment>,
    event: DeploymentEvent
  ): Effect.Effect<void, RevisionConflict | StorageError> =>
    Effect.asVoid(Effect.catchTag(changes.move(partition, stored, event), "InvalidTransition", Effect.die))

  /** Each question of a student of decisions by itself. One breach after the other, each with an event of its own. */
  const countQuestions = Effect.fnUntraced(function* (
    partition: Partition,
    { value: deployment }: Kind.StoredResource<Deployment.Deployment>,
    before: Watch.Watch["questions"],
    results: ReadonlyArray<ShadowResult>
  ) {
    const isGiven = (deployment.guard?.minAgreement ?? null) !== null
    const counted = QuestionCounts.of(before, deployment.questions, results, isGiven)
    for (const breach of counted.breaches) {
      // It was found in this transaction.
      const stored = yield* Effect.catchTag(changes.find(partition, deployment.id), "NotFound", Effect.die)
      yield* breached(partition, stored, DeploymentEvent.QuestionBreached({ breach }))
    }
    return counted
  })

  /** Skips results for deployments that are no longer watched, or from before the watch. */
  return Effect.fnUntraced(function* (partition: Partition, id: string, results: ReadonlyArray<ShadowResult>) {
    const found = Option.getOrUndefined(yield* resources.find(partition, Deployment.kind, id))
    if (found === undefined || !VerificationRules.isWatched(found.value)) return
    const { evidence, floor, guard, questions, watchedSince } = found.value
    if (guard === null || watchedSince === null) return
    const stored = yield* findWatch(partition, id)
    const before = Watch.countsOf(found.value, stored)
    const own = results.filter(({ createdAt }) => createdAt >= watchedSince)
    const createdAt = yield* Clock.currentTimeMillis
    if (questions.length > 0) {
      const { comparisons } = counted(before, zeroFloor, own)
      const byQuestion = yield* countQuestions(partition, found, before.questions, own)
      yield* storage.afterCommit(meter(found.value.alias, own, byQuestion.breaches.length))
      const counts = { ...before, comparisons, questions: byQuestion.questions }
      return yield* keep(partition, stored, { ...counts, id, since: watchedSince, createdAt })
    }
    if (floor === null) return
    const asked = { floor, isGiven: guard.minAgreement !== null, evidence: evidence ?? noEvidence }
    const { breach, ...counts } = counted(before, asked, own)
    const samples = own.reduce(DriftRules.add, before.samples)
    const { waived } = before
    yield* storage.afterCommit(meter(found.value.alias, own, breach === null ? 0 : 1))
    yield* keep(partition, stored, { ...counts, id, since: watchedSince, questions: [], samples, waived, createdAt })
    if (breach !== null) yield* breached(partition, found, DeploymentEvent.Breached({ breach }))
  })
})

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const calls = yield* CallStore
  const count = yield* makeCount

  /** All are of one deployment. */
  const countOf = (group: ReadonlyArray<InPartition<ShadowResult>>) => {
    const [first] = group
    const results = group.map(({ value }) => value)
    return first === undefined ? Effect.void : count(first.partition, first.value.deployment, results)
  }

  const turn = Effect.gen(function* () {
    const taken = yield* calls.takeVerifications(ServingLimits.verificationsPerTurn)
    const groups = Map.groupBy(taken, ({ partition, value }) => `${partition.key} ${value.deployment}`)
    // In one order for all servers, so that no two wait for each other in a circle.
    for (const [, group] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) yield* countOf(group)
    return taken.length
  })

  const runOnce = storage.transaction(turn).pipe(
    // Another server has counted for the deployment, or its owner has changed it: counts again from the new state.
    Effect.retry({ while: ({ _tag }) => _tag !== "StorageError" }),
    Effect.catchTags({ AlreadyExists: Effect.die, RevisionConflict: Effect.die }),
    Effect.withSpan("GuardWorker.runOnce")
  )
  /** Who stores verifications rings; a ring may be lost. */
  let lookedAt = 0
  const look = Effect.gen(function* () {
    lookedAt = yield* Clock.currentTimeMillis
    return yield* runOnce
  })
  const forever = WorkerLoop.forever({
    topic: verificationTopic,
    runOnce: look,
    nextDueAt: Effect.sync(() => lookedAt + ServingLimits.verificationsPollMillis),
    pollMillis: ServingLimits.verificationsPollMillis
  })
  const queue = yield* Queue
  return GuardWorker.of({ runOnce, forever: Effect.provideService(forever, Queue, queue) })
})

export const layer = Layer.provide(Layer.effect(GuardWorker, make), AliasCache.layer)
