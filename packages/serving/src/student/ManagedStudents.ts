/**
 * Students served by this server's own processes (contract 15.18): one process per student, for any number of deployments,
 * as long as one remains.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import { Shares } from "@limbeck/core/pools/Shares"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { type HeldServer, type ModelServer, ModelServers } from "@limbeck/distill/student/ModelServers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Deployment from "../deployment/Deployment.ts"
import { ServingLimits } from "../Limits.ts"
import { StudentUnreadable } from "./internal/Student.ts"
import { Students } from "./Students.ts"

/** A deployment, with its current or future student. */
export interface WantedStudent {
  readonly partition: Partition
  readonly deployment: string
  readonly student: string
}

export class ManagedStudents extends Context.Service<
  ManagedStudents,
  {
    readonly isSetUp: boolean
    /** Where the student answers now, until the scope closes; null: nowhere at the moment. Starts it where it does not run. */
    readonly now: (
      wanted: WantedStudent
    ) => Effect.Effect<ModelServer | null, StudentUnreadable | StorageError, Scope.Scope>
    /** Where it answers, once it does. */
    readonly ready: (wanted: WantedStudent) => Effect.Effect<ModelServer, StudentUnreadable | StorageError, Scope.Scope>
  }
>()("@limbeck/serving/student/ManagedStudents") {}

interface Entry {
  readonly partition: Partition
  readonly student: string
  readonly held: HeldServer
  readonly scope: Scope.Closeable
  readonly deployments: Set<string>
  /** Calls and moves that use it. */
  uses: number
  /** Deployments about to move here; and how long one that has moved may still be unwritten. */
  moves: number
  keptUntil: number
}

const notRetired = ["status:provisioning", "status:ready", "status:failed"]

const noArtifact = new StudentUnreadable({ message: "It has no artifact to serve" })

const shareUsed = (count: number) =>
  new StudentUnreadable({
    message: `This server already serves ${count} students of the workspace, its share; retire a deployment, or serve this student at an endpoint of your own`
  })

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: what shares one table of processes, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const students = yield* Students
  const servers = yield* ModelServers
  const queue = yield* Queue
  const own = yield* Effect.scope
  const entries = new Map<string, Entry>()
  const shares = new Shares<WorkspaceId>(Pools.studentProcesses.size)
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** When leftover files may exist: of killed servers, or of unwanted students. */
  let sweepAt = 0
  const bell = yield* queue.doorbell(Deployment.bell)

  const opened = Effect.fnUntraced(function* ({ partition, student }: WantedStudent) {
    const found = Option.getOrUndefined(yield* students.find(partition, student))
    if (found === undefined || found.artifact === null) return yield* noArtifact
    const { workspace } = partition
    if (!shares.fits(workspace)) return yield* shareUsed(shares.of(workspace))
    const scope = yield* Scope.fork(own)
    shares.take(workspace)
    // The first finalizer runs last, after the process has ended.
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => shares.give(workspace))
    )
    const held = yield* Scope.provide(servers.hold(partition, { ...found, artifact: found.artifact }), scope)
    const entry: Entry = { partition, student, held, scope, deployments: new Set(), uses: 0, moves: 0, keptUntil: 0 }
    return entry
  })

  /** The student's entry, in use until the scope closes. */
  const used = Effect.fnUntraced(function* (wanted: WantedStudent) {
    const key = `${wanted.partition.key} ${wanted.student}`
    const take = Effect.gen(function* () {
      const entry = entries.get(key) ?? (yield* opened(wanted))
      entries.set(key, entry)
      entry.deployments.add(wanted.deployment)
      entry.uses++
      return entry
    })
    return yield* Effect.acquireRelease(oneAtATime.withPermit(take), (entry) =>
      Effect.sync(() => {
        entry.uses--
      })
    )
  })

  /** Kept for a deployment that is moving, until the scope closes, and a moment longer. */
  const moving = (entry: Entry) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        entry.moves++
      }),
      () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          entry.moves--
          entry.keptUntil = now + ServingLimits.managedKeptMillis
        })
    )

  /** Whether a deployment has it, or would have it again by a rollback. */
  const isWanted = (partition: Partition, student: string) =>
    Effect.map(resources.findByLabels(partition, Deployment.kind, notRetired), (deployments) =>
      deployments.some((one) => Deployment.managedStudents(one).includes(student))
    )

  const has = ({ partition, student }: Entry, id: string) =>
    Effect.map(resources.find(partition, Deployment.kind, id), (stored) => {
      const deployment = Option.getOrUndefined(stored)?.value
      const isOn = deployment?.status === "ready" || deployment?.status === "provisioning"
      return isOn && deployment.studentModel === student && Deployment.isManaged(deployment.endpoint)
    })

  /** Waits for calls under way, up to a limit. */
  const closed = (entry: Entry) =>
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + ServingLimits.managedDrainMillis
      while (entry.uses > 0 && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(100)
      yield* Scope.close(entry.scope, Exit.void)
      sweepAt = 0
    })

  const review = Effect.fnUntraced(function* (key: string, entry: Entry) {
    if (entry.moves > 0 || (yield* Clock.currentTimeMillis) < entry.keptUntil) return
    entry.keptUntil = 0
    for (const id of entry.deployments) if (!(yield* has(entry, id))) entry.deployments.delete(id)
    // A process given up is tried anew for the next caller.
    if (entry.deployments.size > 0 && !entry.held.isGivenUp()) return
    entries.delete(key)
    yield* Effect.forkIn(closed(entry), own)
  })

  const reviewAll = oneAtATime.withPermit(
    Effect.suspend(() =>
      Effect.forEach([...entries], ([key, entry]) => Effect.ignore(review(key, entry)), { discard: true })
    )
  )
  /** Reviews soon if an entry is kept only for a moment. */
  const pause = Effect.suspend(() => {
    const isSoon = [...entries.values()].some(({ keptUntil }) => keptUntil > 0)
    return Effect.sleep(isSoon ? ServingLimits.managedKeptMillis : ServingLimits.managedReviewMillis)
  })
  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now < sweepAt) return
    sweepAt = now + ServingLimits.managedSweepMillis
    yield* Effect.ignore(servers.sweep(isWanted))
  })
  const wait = Effect.raceFirst(bell.await, pause)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(sweep, Effect.andThen(wait, reviewAll))))

  return ManagedStudents.of({
    isSetUp: servers.isSetUp,
    now: (wanted) => Effect.map(used(wanted), ({ held }) => held.now()),
    ready: Effect.fnUntraced(function* (wanted) {
      const entry = yield* used(wanted)
      yield* moving(entry)
      return yield* Effect.mapError(entry.held.ready, ({ message }) => new StudentUnreadable({ message }))
    })
  })
})

export const layer: Layer.Layer<ManagedStudents, never, ResourceStore | Students | ModelServers | Queue> = Layer.effect(
  ManagedStudents,
  make
)
