/** Deployments for their owners, and for calls by alias. */

import { CallStore, type ComparedPeriod } from "@limbeck/capture/call/CallStore"
import * as Bearers from "@limbeck/capture/source/Bearers"
import * as Source from "@limbeck/capture/source/Source"
import { Sources } from "@limbeck/capture/source/Sources"
import type { Upstream } from "@limbeck/capture/upstream/Upstream"
import type {
  ChangedMeanwhile,
  InvalidInput,
  NotFound,
  ReferenceUnknown,
  StorageError
} from "@limbeck/core/errors/Errors"
import type { Events } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import { firstPage, type Page, type PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import { Storage } from "@limbeck/core/storage/Storage"
import * as HeldOutAnswers from "@limbeck/distill/report/HeldOutAnswers"
import type { ModelServers } from "@limbeck/distill/student/ModelServers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  AliasTaken,
  type ConfidenceNotTold,
  DeploymentRetired,
  type EvidenceLacking,
  type FieldsUnlearnt,
  type NoPreviousStudent,
  type StudentNotDeployable,
  StudentUnservable,
  StudentWorse
} from "../Errors.ts"
import * as Standing from "../guard/internal/Standing.ts"
import { ServingLimits } from "../Limits.ts"
import { ManagedStudents } from "../student/ManagedStudents.ts"
import { Students } from "../student/Students.ts"
import * as Deployment from "./Deployment.ts"
import { DeploymentEvent, type DeploymentSettings } from "./DeploymentMachine.ts"
import type { Account } from "./DeploymentResource.ts"
import * as AliasCache from "./internal/AliasCache.ts"
import * as DeploymentChanges from "./internal/DeploymentChanges.ts"
import * as Rules from "./internal/DeploymentRules.ts"
import * as Settings from "./Settings.ts"

export interface NewDeployment extends Settings.DeploymentPatch {
  readonly alias: string
  readonly studentModel: string
  readonly mode: Deployment.DeploymentMode
}

export interface DeploymentFilter {
  readonly alias: string | null
  readonly status: Deployment.DeploymentStatus | null
  readonly mode: Deployment.DeploymentMode | null
}

type Refusal =
  | InvalidInput
  | NotFound
  | ReferenceUnknown
  | AliasTaken
  | DeploymentRetired
  | NoPreviousStudent
  | StudentNotDeployable
  | EvidenceLacking
  | StudentWorse
  | ConfidenceNotTold
  | FieldsUnlearnt
  | StudentUnservable
  | ChangedMeanwhile
  | StorageError

export class Deployments extends Context.Service<
  Deployments,
  {
    /** One that is being provisioned. */
    readonly create: (partition: Partition, request: NewDeployment) => Effect.Effect<Deployment.Deployment, Refusal>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Deployment.Deployment, NotFound | StorageError>
    /** What it has come to by now. */
    readonly account: (partition: Partition, deployment: Deployment.Deployment) => Effect.Effect<Account, StorageError>
    /** Comparisons since it has its student, oldest first. */
    readonly comparisonsByPeriod: (
      partition: Partition,
      deployment: Deployment.Deployment
    ) => Effect.Effect<ReadonlyArray<ComparedPeriod>, StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: DeploymentFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Deployment.Deployment>, StorageError>
    /** A ready one stays ready: its new student was loaded before. A failed one is provisioned again. */
    readonly update: (
      partition: Partition,
      id: string,
      patch: Settings.DeploymentPatch
    ) => Effect.Effect<Deployment.Deployment, Refusal>
    /** Returns to the previous student at its endpoint; the two change places. */
    readonly rollback: (partition: Partition, id: string) => Effect.Effect<Deployment.Deployment, Refusal>
    /** Starts the comparison of its calls anew. */
    readonly acceptDrift: (
      partition: Partition,
      id: string
    ) => Effect.Effect<Deployment.Deployment, NotFound | DeploymentRetired | ChangedMeanwhile | StorageError>
    /** Its alias is free at once. */
    readonly retire: (
      partition: Partition,
      id: string
    ) => Effect.Effect<Deployment.Deployment, NotFound | DeploymentRetired | ChangedMeanwhile | StorageError>
    readonly under: (partition: Partition, alias: string) => Effect.Effect<Deployment.AliasDeployments, StorageError>
    /** All that are ready, oldest first. */
    readonly ready: (partition: Partition) => Effect.Effect<ReadonlyArray<Deployment.Deployment>, StorageError>
    /** What a request to its endpoint must carry; it holds the key. */
    readonly credentials: (
      partition: Partition,
      deployment: Deployment.Deployment
    ) => Effect.Effect<Readonly<Record<string, string>>>
  }
>()("@limbeck/serving/deployment/Deployments") {}

const labelsOf = ({ alias, mode, status }: DeploymentFilter): ReadonlyArray<string> => [
  ...(alias === null ? [] : [`alias:${alias}`]),
  ...(status === null ? [] : [`status:${status}`]),
  ...(mode === null ? [] : [`mode:${mode}`])
]

const taken = ({ alias, mode }: Pick<Deployment.Deployment, "alias" | "mode">, field: "alias" | "mode") =>
  new AliasTaken({ alias, mode, field })

const retired = (id: string) => new DeploymentRetired({ id })

interface ChangeOptions {
  /** Whether the owner asks for it to be active. */
  readonly isAsked: boolean
  /** Whether the student must be no worse than the student in place. */
  readonly isCompared: boolean
}

type Change = (deployment: Deployment.Deployment) => Effect.Effect<DeploymentSettings, Refusal>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const storage = yield* Storage
  const calls = yield* CallStore
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const bearers = Bearers.make(yield* Secrets)
  const ids = yield* Ids
  const students = yield* Students
  const managed = yield* ManagedStudents
  const sources = yield* Sources
  const settings = yield* Settings.make
  const changes = yield* DeploymentChanges.make
  const standingOf = yield* Standing.make

  const offer = Effect.fnUntraced(function* (partition: Partition, { id, updatedAt }: Deployment.Deployment) {
    yield* queue.offer(partition, Deployment.topic, id, updatedAt)
    yield* queue.nudge(Deployment.topic)
  })

  /**
   * Runs first in the transaction: a newly named source, and the one that embeds the student's requests, exist and stay. Held in the
   * order of their ids, so that no two writers wait for each other.
   */
  const holdSources = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment.Deployment,
    { fallback, studentModel }: Pick<Deployment.Deployment, "fallback" | "studentModel">
  ) {
    const student = Option.getOrUndefined(yield* students.find(partition, studentModel))
    const named = fallback?.source === before.fallback?.source ? undefined : fallback?.source
    const needed = new Set([named, student?.embeddingSource].filter((id) => id !== undefined))
    for (const id of [...needed].toSorted()) {
      const isThere = yield* sources.hold(partition, id)
      // It was a moment ago: the removal came first.
      if (!isThere) return yield* new RevisionConflict({ kind: Source.kind.name, id, revision: 0 })
    }
  })

  const createOnce = Effect.fnUntraced(function* (
    partition: Partition,
    blank: Deployment.Deployment,
    request: NewDeployment
  ) {
    const wanted = yield* settings.patched(partition, blank, request)
    const standing = yield* standingOf(partition, blank, wanted, { isAsked: true, now: blank.createdAt })
    const deployment: Deployment.Deployment = { ...blank, ...wanted, ...standing }
    const write = Effect.gen(function* () {
      yield* holdSources(partition, blank, deployment)
      yield* resources.insert(partition, Deployment.kind, deployment)
      yield* offer(partition, deployment)
    })
    yield* Effect.catchTag(storage.transaction(write), "AlreadyExists", () => taken(deployment, "alias"))
    return deployment
  })

  const create = Effect.fn("Deployments.create")(function* (partition: Partition, request: NewDeployment) {
    const alias = yield* Effect.fromResult(Rules.alias(request.alias))
    const now = yield* Clock.currentTimeMillis
    const blank = Settings.blank({ ...request, id: yield* ids.make("dep"), alias, now })
    return yield* Writers.inTurn(Deployment.kind, blank.id)(createOnce(partition, blank, request))
  })

  /** The student that a deployment is to move to can be served: callers meanwhile notice nothing. */
  const checkLoads = Effect.fnUntraced(function* (
    partition: Partition,
    { id, ...before }: Deployment.Deployment,
    { endpoint, studentModel }: DeploymentSettings
  ) {
    const isHere = Deployment.isManaged(endpoint) === Deployment.isManaged(before.endpoint)
    if (studentModel === before.studentModel && isHere) return
    const student = Option.getOrUndefined(yield* students.find(partition, studentModel))
    const refused = (reason: string) => new StudentUnservable({ id: studentModel, reason })
    if (Deployment.isManaged(endpoint)) {
      return yield* managed.ready({ partition, deployment: id, student: studentModel }).pipe(
        Effect.catchTag("StudentUnreadable", ({ message }) => refused(message)),
        Effect.timeoutOrElse({
          duration: ServingLimits.managedMoveMillis,
          orElse: () => refused("it does not answer yet")
        })
      )
    }
    if (student?.engine !== "builtin") return
    yield* Effect.catchTag(students.load(partition, studentModel), "StudentUnreadable", ({ message }) =>
      refused(message)
    )
  })

  const write = Effect.fnUntraced(function* (
    partition: Partition,
    stored: StoredResource<Deployment.Deployment>,
    wanted: Pick<Extract<DeploymentEvent, { readonly _tag: "Changed" }>, "settings" | "standing">
  ) {
    yield* holdSources(partition, stored.value, wanted.settings)
    const moved = yield* changes.move(partition, stored, DeploymentEvent.Changed(wanted))
    const isTriedAgain = moved.status === "provisioning" && stored.value.status !== "provisioning"
    if (isTriedAgain) yield* offer(partition, moved)
    return moved
  })

  /** The student whose callers the wanted student would take over; undefined if no caller changes its student. */
  const studentInPlace = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment.Deployment,
    wanted: DeploymentSettings
  ) {
    if (wanted.mode === "shadow") return undefined
    if (before.mode === "active") return before.studentModel
    return (yield* under(partition, before.alias)).active?.studentModel
  })

  /** A student takes over from another where it is not surely worse on the rows that both answered. */
  const checkSuccessor = Effect.fnUntraced(function* (
    partition: Partition,
    before: Deployment.Deployment,
    wanted: DeploymentSettings
  ) {
    const inPlace = yield* studentInPlace(partition, before, wanted)
    if (wanted.guard === null || inPlace === undefined || inPlace === wanted.studentModel) return
    const [first, second] = yield* Effect.forEach([inPlace, wanted.studentModel], (student) =>
      Effect.map(students.find(partition, student), (found) =>
        Option.match(found, { onNone: () => [], onSome: ({ heldOut }) => heldOut })
      )
    )
    const compared = HeldOutAnswers.compare(first ?? [], second ?? [])
    if (compared === undefined || compared.high >= 0) return
    const { high, low, rows } = compared
    const agreed = { agreed: compared.second, agreedInPlace: compared.first }
    return yield* new StudentWorse({ id: wanted.studentModel, inPlace, rows, ...agreed, low, high })
  })

  const changeOnce = Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    change: Change,
    { isAsked, isCompared }: ChangeOptions
  ) {
    const stored = yield* changes.find(partition, id)
    if (stored.value.status === "retired") return yield* retired(id)
    const settings = yield* change(stored.value)
    const { value } = stored
    const now = yield* Clock.currentTimeMillis
    if (isCompared) yield* checkSuccessor(partition, value, settings)
    const standing = yield* standingOf(partition, value, settings, { isAsked, now })
    yield* checkLoads(partition, value, settings)
    return yield* storage.transaction(write(partition, stored, { settings, standing })).pipe(
      Effect.catchTags({
        InvalidTransition: () => retired(id),
        RevisionConflict: (met) => refused(partition, { ...value, ...settings }, met)
      })
    )
  }, Effect.scoped)

  /** A refused write met a concurrent one, or wants a taken place. */
  const refused = Effect.fnUntraced(function* (
    partition: Partition,
    wanted: Deployment.Deployment,
    met: RevisionConflict
  ) {
    const holder = yield* resources.findUnique(partition, Deployment.kind, Deployment.placeOf(wanted))
    if (Option.isSome(holder) && holder.value.value.id !== wanted.id) return yield* taken(wanted, "mode")
    return yield* met
  })

  const change = (
    partition: Partition,
    id: string,
    how: Change,
    options: ChangeOptions
  ): Effect.Effect<Deployment.Deployment, Refusal> =>
    Writers.inTurn(Deployment.kind, id)(changeOnce(partition, id, how, options))

  const retireOnce = Effect.fnUntraced(function* (partition: Partition, id: string) {
    // Withdraws the work item first: a provisioning worker holds it, so both lock in the same order.
    yield* queue.withdraw(partition, Deployment.topic, id)
    const stored = yield* changes.find(partition, id)
    return yield* changes.move(partition, stored, DeploymentEvent.Retired())
  })

  const acceptDriftOnce = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const stored = yield* changes.find(partition, id)
    return yield* changes.move(partition, stored, DeploymentEvent.DriftAccepted())
  })

  /** One query: with two, a deployment that changes its mode in between would be missed. At most one per mode exists. */
  const under = Effect.fnUntraced(function* (partition: Partition, alias: string) {
    const labels = labelsOf({ alias, status: "ready", mode: null })
    const { items } = yield* resources.page(partition, Deployment.kind, labels, firstPage(2))
    const of = (mode: Deployment.DeploymentMode) => items.find((deployment) => deployment.mode === mode) ?? null
    const deployed: Deployment.AliasDeployments = { active: of("active"), shadow: of("shadow") }
    return deployed
  })

  return Deployments.of({
    create,
    get: Effect.fn("Deployments.get")((partition: Partition, id: string) =>
      Effect.map(changes.find(partition, id), ({ value }) => value)
    ),
    account: changes.account,
    comparisonsByPeriod: (partition, { id, studentSince }) =>
      calls.comparisonsByPeriod(partition, id, studentSince, ServingLimits.agreementPeriods),
    page: Effect.fn("Deployments.page")((partition: Partition, filter: DeploymentFilter, request: PageRequest) =>
      resources.page(partition, Deployment.kind, labelsOf(filter), request)
    ),
    update: Effect.fn("Deployments.update")((partition: Partition, id: string, patch: Settings.DeploymentPatch) =>
      change(partition, id, (before) => settings.patched(partition, before, patch), {
        isAsked: patch.mode === "active",
        isCompared: true
      })
    ),
    rollback: Effect.fn("Deployments.rollback")((partition: Partition, id: string) =>
      change(partition, id, (before) => settings.rolledBack(partition, before), { isAsked: false, isCompared: false })
    ),
    acceptDrift: Effect.fn("Deployments.acceptDrift")((partition: Partition, id: string) =>
      storage.transaction(acceptDriftOnce(partition, id)).pipe(
        Effect.catchTag("InvalidTransition", () => retired(id)),
        Writers.inTurn(Deployment.kind, id)
      )
    ),
    retire: Effect.fn("Deployments.retire")((partition: Partition, id: string) =>
      storage.transaction(retireOnce(partition, id)).pipe(
        Effect.catchTag("InvalidTransition", () => retired(id)),
        Writers.inTurn(Deployment.kind, id)
      )
    ),
    under,
    ready: (partition) => resources.findByLabels(partition, Deployment.kind, ["status:ready"]),
    credentials: (partition, deployment) =>
      bearers(deployment, deployment.endpoint?.sealedKey ?? null, Settings.sealContext(partition, deployment.id))
  })
})

export const layer: Layer.Layer<
  Deployments,
  never,
  | Storage
  | ResourceStore
  | Queue
  | Secrets
  | Ids
  | Events
  | CallStore
  | Students
  | ManagedStudents
  | ModelServers
  | Sources
  | Upstream
> = Layer.provide(Layer.effect(Deployments, make), AliasCache.layer)
