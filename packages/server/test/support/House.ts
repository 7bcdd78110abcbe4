/** A whole server over one storage, on its own port: tests see HTTP, and a clock that they can push. */
import { once } from "node:events"
import { createServer, type Server as NodeServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Ledger } from "@limbeck/billing/ledger/Ledger"
import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { SourceModel } from "@limbeck/capture/source/Source"
import { Sources } from "@limbeck/capture/source/Sources"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { OwnPorts } from "@limbeck/core/egress/OwnPorts"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { EventType } from "@limbeck/core/events/Event"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import { Invitations } from "@limbeck/core/people/Invitations"
import { People } from "@limbeck/core/people/People"
import { Sessions } from "@limbeck/core/people/Sessions"
import { SignInLinks } from "@limbeck/core/people/SignInLinks"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { Tokens } from "@limbeck/core/tokens/Tokens"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import { firstKey, Workspaces } from "@limbeck/core/workspaces/Workspaces"
import { StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import type { Executor } from "@limbeck/distill/run/Executor"
import type { ModelServers } from "@limbeck/distill/student/ModelServers"
import type { Gunzip } from "@limbeck/distill/upload/Gunzip"
import * as KeptSpeed from "@limbeck/executors/builtin/KeptSpeed"
import * as Executors from "@limbeck/executors/Executors"
import * as RehearsedTrainings from "@limbeck/executors/RehearsedTrainings"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as BlobsInstead from "@limbeck/node/blobs/BlobsInstead"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import { isWhole } from "@limbeck/testing/Campaign"
import * as Database from "@limbeck/testing/database/Database"
import { freshFolder } from "@limbeck/testing/Folders"
import { audit } from "@limbeck/testing/fixtures/Audits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { BodyTimes } from "../../src/http/internal/Body.ts"
import type { StoragePorts } from "../../src/Layers.ts"
import * as Mounts from "../../src/Mounts.ts"
import * as Server from "../../src/Server.ts"
import type { ServerSettings } from "../../src/Settings.ts"
import { type Client, client } from "./Client.ts"

type StorageLayer = Layer.Layer<StoragePorts, StorageError>

export const storages = {
  memory: StorageMemory.layer,
  Postgres: Database.storageOn(StoragePostgres.layer),
  "memory and a folder": Layer.unwrap(
    Effect.map(freshFolder, (folder) => BlobsInstead.inFolder(StorageMemory.layer, folder))
  )
}

export interface HouseOptions {
  readonly settings?: Partial<ServerSettings>
  /** Whether live runs of any student are taken too, by the stub. */
  readonly takesLiveRuns?: boolean
  /** The executor of live runs of the builtin student. */
  readonly builtin?: Executor
  /** Who takes live runs of language models. */
  readonly llm?: Executor
  /** The executor in rehearsals of language models. */
  readonly rehearses?: Executor
  /** What serves students with an artifact. */
  readonly servers?: Layer.Layer<ModelServers, never, Blobs | Gunzip | OwnPorts>
  /** A folder of models with tokenizers, which estimates use to count tokens. */
  readonly modelsDir?: string
  /** Event types of the host's own. */
  readonly eventTypes?: ReadonlyArray<EventType>
  /** CIDR blocks that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /** The host's listeners on ports of this machine. */
  readonly portHolder?: Assembly.AssemblyOptions["portHolder"]
  /** Whether the tests are also done with blobs in a folder. */
  readonly alsoInFolder?: boolean
  /** How long each thing takes that the stub says. */
  readonly pace?: Duration.Input
  readonly telemetry?: Assembly.TelemetryOptions
  /** How long bodies may take, other than by default. */
  readonly bodyTimes?: Partial<BodyTimes>
  /** Whether estimates use this machine's real speed, measured by `untilMeasured`. */
  readonly measures?: boolean
}

/** A workspace of its own, with a full-access client for each mode. */
export interface Workspace {
  readonly id: string
  readonly live: Client
  readonly test: Client
  readonly liveToken: string
}

/** A person whose session a client uses. */
export interface SignedInPerson {
  readonly id: string
  readonly client: Client
  /** As a `Cookie` header has it. */
  readonly cookie: string
}

/** The real clock plus the pushed time. A push wakes sleepers earlier by as much. */
class PushedClock implements Clock.Clock {
  private readonly real = Effect.runSync(Clock.Clock)
  private readonly wakers = new Set<() => void>()
  private aheadMillis = 0
  private get aheadNanos() {
    return BigInt(this.aheadMillis) * 1_000_000n
  }
  push(millis: number) {
    this.aheadMillis += millis
    for (const wake of [...this.wakers]) wake()
  }
  currentTimeMillisUnsafe() {
    return this.real.currentTimeMillisUnsafe() + this.aheadMillis
  }
  currentTimeNanosUnsafe() {
    return this.real.currentTimeNanosUnsafe() + this.aheadNanos
  }
  monotonicTimeNanosUnsafe() {
    return this.real.monotonicTimeNanosUnsafe() + this.aheadNanos
  }
  currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  sleep: Clock.Clock["sleep"] = (duration) =>
    Effect.suspend(() => this.sleepUntil(this.currentTimeMillisUnsafe() + Duration.toMillis(duration)))

  private readonly pushed = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    this.wakers.add(wake)
    return Effect.sync(() => this.wakers.delete(wake))
  })

  private sleepUntil(at: number): Effect.Effect<void> {
    const left = Duration.millis(Math.max(0, at - this.currentTimeMillisUnsafe()))
    const awake = Effect.raceFirst(this.real.sleep(left), this.pushed)
    return Effect.flatMap(awake, () => (this.currentTimeMillisUnsafe() < at ? this.sleepUntil(at) : Effect.void))
  }
}

const executorsOf = ({ builtin, llm, pace = "1 millis", rehearses, takesLiveRuns = false }: HouseOptions) => {
  const walking = StubExecutor.make({ pace })
  const stub = rehearses === undefined ? walking : RehearsedTrainings.make({ stub: walking, trainer: rehearses })
  if (takesLiveRuns) return Executors.layer({ stub, builtin: stub, llm: stub })
  return Executors.layer({ stub, ...(builtin && { builtin }), ...(llm && { llm }) })
}

/** As a process before had left it: this one need not measure, which takes a second of a processor and changes estimates meanwhile. */
const measuredBefore = Layer.effectDiscard(Effect.flatMap(KeptSpeed.make, ({ keep }) => Effect.ignore(keep(1)))).pipe(
  Layer.provide(Layer.provide(Ids.layer, Crypto.layer))
)

const assemble = (storage: StorageLayer, clock: Clock.Clock, options: HouseOptions) =>
  Assembly.layer({
    storage: Layer.merge(
      options.measures ? storage : Layer.provideMerge(measuredBefore, storage),
      Layer.mergeAll(Layer.succeed(Clock.Clock, clock), Layer.succeed(References.MinimumLogLevel, "None"))
    ),
    encryptionKeys: [Redacted.make(new Uint8Array(32).fill(7))],
    settings: { rateLimit: null, ...options.settings },
    executors: executorsOf(options),
    ...(options.servers && { servers: options.servers }),
    ...(options.modelsDir !== undefined && { modelsDir: options.modelsDir }),
    eventTypes: options.eventTypes ?? [],
    egressAllow: options.egressAllow ?? [],
    portHolder: options.portHolder,
    ...(options.telemetry && { telemetry: options.telemetry })
  })

const tokenOf = (livemode: boolean, number: number) =>
  `svc_${livemode ? "live" : "test"}_${String(number).padStart(40, "0")}`

const begin = async (storage: StorageLayer, options: HouseOptions) => {
  const clock = new PushedClock()
  const runtime = ManagedRuntime.make(assemble(storage, clock, options))
  const start = Effect.gen(function* () {
    const { app } = yield* Server.make
    return {
      app,
      node: yield* Effect.updateService(Mounts.node(app), BodyTimes, (times) => ({ ...times, ...options.bodyTimes })),
      tokens: yield* Tokens,
      workspaces: yield* Workspaces,
      calls: yield* CallStore,
      blobs: yield* Blobs,
      ledger: yield* Ledger,
      sources: yield* Sources,
      ledgerStore: yield* LedgerStore,
      people: yield* People,
      invitations: yield* Invitations,
      links: yield* SignInLinks,
      sessions: yield* Sessions,
      storage: yield* Storage,
      resources: yield* ResourceStore,
      keys: yield* IdempotencyStore,
      events: yield* EventStore,
      conversations: yield* ConversationStore
    }
  })
  const services = await runtime.runPromise(Effect.provideService(start, Scope.Scope, runtime.scope))
  const server = createServer(services.node).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // A listening server has a port.
  return { ...services, clock, runtime, server, origin: `http://127.0.0.1:${port}` }
}

const stop = async (server: NodeServer) => {
  server.closeAllConnections()
  server.close()
  await once(server, "close")
}

export class House {
  private begun: Awaited<ReturnType<typeof begin>> | undefined
  private brand: string | undefined
  private workspaceCount = 0
  private personCount = 0

  private get started() {
    if (this.begun === undefined) throw new Error("This house is open only while its tests run")
    return this.begun
  }

  async open(storage: StorageLayer, options: HouseOptions) {
    this.brand = options.settings?.brand
    this.begun = await begin(storage, options)
  }

  async close() {
    await stop(this.started.server)
    await this.started.runtime.dispose()
  }

  get origin() {
    return this.started.origin
  }

  get app() {
    return this.started.app
  }

  get node() {
    return this.started.node
  }

  /** Lets time pass for everybody in the house. */
  passTime(millis: number) {
    this.started.clock.push(millis)
  }

  now() {
    return this.started.clock.currentTimeMillisUnsafe()
  }

  /** Does something with the captured calls of this house, as the proxy would. */
  withCalls<A, E>(use: (calls: CallStore["Service"]) => Effect.Effect<A, E>) {
    return this.started.runtime.runPromise(use(this.started.calls))
  }

  /** Acts on stored data, bypassing the server's routes. */
  withStored<A, E>(
    use: (
      services: Pick<Awaited<ReturnType<typeof begin>>, "blobs" | "conversations" | "events" | "keys" | "resources">
    ) => Effect.Effect<A, E>
  ) {
    return this.started.runtime.runPromise(use(this.started))
  }

  /** As if a disk had lost the content of an upload; returns whether it was there. */
  loseContent({ id }: Pick<Workspace, "id">, sha256: string) {
    const partition = Partition.make(id as WorkspaceId, true) // A workspace of the house has a valid id.
    return this.started.runtime.runPromise(this.started.blobs.removeIfQuiet(partition, sha256, this.now() + 1))
  }

  /** Adds to the balance of a workspace, as its host does. */
  topUp({ id }: Pick<Workspace, "id">, amountUsd: number, reference = `payment ${amountUsd}`) {
    const partition = Partition.make(id as WorkspaceId, true) // A workspace of the house has a valid id.
    return this.started.runtime.runPromise(this.started.ledger.topUp(partition, { amountUsd, reference }))
  }

  /** Sets the models of a managed source, with their prices, as the host does. `source`: by name or id. */
  price({ id }: Pick<Workspace, "id">, source: string, models: ReadonlyArray<SourceModel>, livemode = true) {
    const partition = Partition.make(id as WorkspaceId, livemode) // A workspace of the house has a valid id.
    const { runtime, sources } = this.started
    const priced = Effect.flatMap(sources.resolve(partition, source), (found) =>
      sources.update(partition, Option.getOrThrow(found).id, { models })
    )
    return runtime.runPromise(priced)
  }

  /** Fails unless the ledger of a workspace adds up; returns its accounts. */
  audit({ id }: Pick<Workspace, "id">, livemode = true) {
    const audited = audit(Partition.make(id as WorkspaceId, livemode)) // A workspace of the house has a valid id.
    return this.started.runtime.runPromise(Effect.provideService(audited, LedgerStore, this.started.ledgerStore))
  }

  /** Waits until this machine's speed is measured for estimates. */
  untilMeasured() {
    const found = Effect.flatMap(KeptSpeed.make, ({ find }) =>
      Effect.repeat(find, { until: Option.isSome, schedule: Schedule.spaced("20 millis") })
    )
    const asked = Effect.flatMap(StudentProbe, ({ speed }) => speed)
    return this.started.runtime.runPromise(Effect.andThen(asked, Effect.asVoid(found)))
  }

  /** Gives somebody a role, as the operator does; somebody new, where nobody is named. */
  person({ id }: Pick<Workspace, "id">, role: Role, email = `person${++this.personCount}@example.com`) {
    const workspace = id as WorkspaceId // A workspace of the house has a valid id.
    return this.started.runtime.runPromise(this.started.people.add({ email, workspace, role }))
  }

  /** Null takes the role away. */
  setRole({ id }: Pick<Workspace, "id">, person: string, role: Role | null) {
    const workspace = id as WorkspaceId // A workspace of the house has a valid id.
    return this.started.runtime.runPromise(this.started.people.setRole(person, workspace, role))
  }

  /** Does something with people behind the back of the server's routes. */
  withPeople<A, E>(
    use: (
      services: Pick<
        Awaited<ReturnType<typeof begin>>,
        "people" | "links" | "sessions" | "storage" | "resources" | "tokens" | "invitations" | "workspaces"
      >
    ) => Effect.Effect<A, E>
  ) {
    return this.started.runtime.runPromise(use(this.started))
  }

  /** The secret of a link for a person. */
  async link(person: string): Promise<string> {
    return (await this.withPeople(({ links }) => links.make(person))).secret
  }

  /** Somebody new with this role, signed in: a client that sends what a page of ours does, live mode in this workspace. */
  async signedIn(workspace: Pick<Workspace, "id">, role: Role): Promise<SignedInPerson> {
    return this.sessionOf((await this.person(workspace, role)).id, workspace)
  }

  /** A session of an existing person; otherwise like `signedIn`. */
  async sessionOf(person: string, workspace: Pick<Workspace, "id">): Promise<SignedInPerson> {
    const { csrf, secret } = await this.withPeople(({ sessions }) =>
      Effect.flatMap(sessions.begin(person), ({ secret }) =>
        Effect.map(sessions.csrfOf(secret), (csrf) => ({ secret, csrf }))
      )
    )
    const cookie = `service-session=${secret}`
    const headers = { cookie, "x-csrf-token": csrf, "service-workspace": workspace.id }
    return { id: person, cookie, client: this.client(null).with(headers) }
  }

  /** Without a token: anybody. */
  client(token: string | null): Client {
    return client(this.origin, token, this.brand)
  }

  /** The operator's workspace, created by the first start. */
  operator(): Promise<Workspace> {
    return this.workspace(firstKey)
  }

  async workspace(key?: string): Promise<Workspace> {
    const { runtime, tokens, workspaces } = this.started
    const number = ++this.workspaceCount
    const make = Effect.gen(function* () {
      const { workspace } = yield* workspaces.ensure(key ?? `workspace ${number}`, "self_hosted")
      for (const livemode of [true, false]) {
        yield* tokens.ensure(Partition.make(workspace.id, livemode), "bootstrap", tokenOf(livemode, number))
      }
      return workspace.id
    })
    const id = await runtime.runPromise(make)
    const liveToken = tokenOf(true, number)
    return { id, liveToken, live: this.client(liveToken), test: this.client(tokenOf(false, number)) }
  }
}

const onStorage = (
  name: keyof typeof storages,
  subject: string,
  tests: (house: House) => void,
  options: HouseOptions
) =>
  describe(`${subject}, on ${name}`, () => {
    const house = new House()
    beforeAll(() => house.open(storages[name], options))
    afterAll(() => house.close())
    tests(house)
  })

/**
 * Declares the tests once per storage, each time with a house that is open while they run. With the client as their transport
 * they run once: it sees no storage.
 */
export const onEachStorage = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) => {
  onStorage("memory", subject, tests, options)
  if (process.env["TEST_CLIENT"] === "typed") return
  onStorage("Postgres", subject, tests, options)
  if (options.alsoInFolder) onStorage("memory and a folder", subject, tests, options)
}

/** Declares tests of what Postgres alone can show, or of what would show nothing more over memory. */
export const onPostgres = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) =>
  onStorage("Postgres", subject, tests, options)

/**
 * Declares tests of what no storage decides, such as a training, a process or the bytes between client and upstream. The
 * storages keep the same promises by their contract suites. Memory takes less than half of the time; the campaigns take Postgres.
 */
export const onOneStorage = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) =>
  onStorage(isWhole ? "Postgres" : "memory", subject, tests, options)

/** Declares tests of the HTTP edge alone: headers, bounds and refusals that are decided before a resource is read or written. */
export const onMemory = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) =>
  onStorage("memory", subject, tests, options)
