/** Worker processes without processes: every order of deaths, replacements and silence, in virtual time. */
import { Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import type { ChildEvents, ChildProcess } from "../src/serve/processes/ChildProcess.ts"
import * as WorkerMachine from "../src/serve/processes/WorkerMachine.ts"
import type { ParentMessage } from "../src/serve/processes/WorkerProcess.ts"
import * as WorkerRegistry from "../src/serve/processes/WorkerRegistry.ts"
import * as Workers from "../src/serve/processes/Workers.ts"

const count = 3

/** A process scripted by the test. */
class Scripted implements ChildProcess {
  readonly number: number
  readonly messages: Array<ParentMessage> = []
  readonly sockets: Array<Socket> = []
  isAlive = true
  isServing = false
  answersPings = true
  readonly #events: ChildEvents

  constructor(number: number, events: ChildEvents) {
    this.number = number
    this.#events = events
  }

  send = (message: ParentMessage, socket?: Socket): void => {
    if (!this.isAlive) return
    this.messages.push(message)
    if (socket !== undefined) this.sockets.push(socket)
    if (message.kind === "ping" && this.answersPings) this.#events.onMessage({ kind: "pong" })
  }

  kill = (): void => this.exit({ code: null, signal: "SIGKILL" })

  exit(exit: WorkerMachine.WorkerExit = { code: 0, signal: null }): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.#events.onExit(exit)
  }

  listen(): void {
    this.isServing = true
    this.#events.onMessage({ kind: "listening" })
  }

  pong(): void {
    this.#events.onMessage({ kind: "pong" })
  }

  acknowledge(): void {
    for (const message of this.messages) {
      if (message.kind === "connection") {
        this.#events.onMessage({ kind: "connection_received", connection: message.connection })
      }
    }
  }

  get isStopped(): boolean {
    return this.messages.some(({ kind }) => kind === "stop")
  }
}

interface LogLine {
  readonly event: unknown
  readonly facts: Readonly<Record<string, unknown>>
}

/** Lets all fibers run until each of them waits for something. */
const settle = Effect.forEach(Array.from({ length: 100 }), () => Effect.yieldNow, { discard: true })

/** The three processes serve. */
const open = Effect.gen(function* () {
  const started: Array<Scripted> = []
  const registry = yield* WorkerRegistry.make((number, events) => {
    const process = new Scripted(number, events)
    started.push(process)
    return process
  })
  const workers = Workers.make(registry, count)
  const serving = yield* Effect.forkScoped(workers.serve(Effect.void))
  const alive = () => started.filter(({ isAlive }) => isAlive)
  const listenAll = Effect.gen(function* () {
    for (const process of alive()) if (!process.isServing) process.listen()
    yield* settle
  })
  yield* settle
  // The first one alone: it migrates.
  assert.lengthOf(started, 1)
  yield* listenAll
  assert.lengthOf(started, count)
  yield* listenAll

  /** The process that serves at a place. */
  const at = (number: number): Scripted => {
    const [process, ...others] = alive().filter((one) => one.number === number && one.isServing && !one.isStopped)
    assert.isDefined(process)
    assert.deepStrictEqual(others, [])
    return process as Scripted
  }
  /** Everything that starts comes up, everything that drains ends, and pauses pass, until nothing changes any more. */
  const complete = Effect.gen(function* () {
    for (let round = 0; round < 4 * count; round++) {
      yield* listenAll
      for (const process of alive()) if (process.isStopped) process.exit()
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* settle
    }
  })
  const replaceAll = Effect.forkScoped(workers.replaceAll)
  return { registry, started, alive, at, serving, listenAll, complete, replaceAll }
})

const victims = {
  "the old process": { old: true, replacement: false, other: false },
  "the replacement": { old: false, replacement: true, other: false },
  "the old process and the replacement": { old: true, replacement: true, other: false },
  "a process of another place": { old: false, replacement: false, other: true },
  "all of them": { old: true, replacement: true, other: true }
} as const

const moments = ["while the replacement starts", "while the old process drains"] as const

const cases = moments.flatMap((moment) =>
  Object.keys(victims).flatMap((name) =>
    [1, 2, 3].map((place) => ({ moment, place, victim: name as keyof typeof victims }))
  )
)

describe("processes that are replaced", () => {
  it.effect.each(cases)("are three when $victim dies $moment, at place $place (P922)", ({ moment, place, victim }) =>
    Effect.gen(function* () {
      const { alive, at, complete, listenAll, replaceAll, started } = yield* open
      const before = alive()
      const round = yield* replaceAll
      // The places before have their turn.
      for (let number = 1; number < place; number++) {
        yield* settle
        yield* listenAll
        before[number - 1]!.exit()
      }
      yield* settle
      const replacement = started.at(-1)!
      assert.strictEqual(replacement.number, place)
      if (moment === "while the old process drains") {
        yield* listenAll
        assert.isTrue(before[place - 1]!.isStopped)
      }
      const which = victims[victim]
      if (which.old) before[place - 1]!.kill()
      if (which.replacement) replacement.kill()
      if (which.other) at((place % count) + 1).kill()
      yield* settle
      yield* complete
      const after = alive()
      assert.deepStrictEqual(after.map(({ number }) => number).sort(), [1, 2, 3])
      assert.isTrue(after.every(({ isServing, isStopped }) => isServing && !isStopped))
      assert.isDefined(round.pollUnsafe())

      // None is left behind that the next signal would not reach.
      const next = yield* replaceAll
      yield* complete
      yield* Fiber.join(next)
      assert.deepStrictEqual(
        alive()
          .map(({ number }) => number)
          .sort(),
        [1, 2, 3]
      )
      assert.isFalse(alive().some((process) => after.includes(process)))
    }).pipe(Effect.scoped)
  )

  it.effect("include one that is just starting (P922)", () =>
    Effect.gen(function* () {
      const { alive, at, complete, replaceAll, started } = yield* open
      at(2).kill()
      yield* settle
      yield* TestClock.adjust("250 millis")
      yield* settle
      const starting = started.at(-1)!
      assert.deepStrictEqual([starting.number, starting.isServing], [2, false])
      const before = alive()
      yield* Effect.andThen(
        Effect.flatMap(replaceAll, () => complete),
        Effect.void
      )
      assert.lengthOf(alive(), count)
      assert.isFalse(alive().some((process) => before.includes(process)))
    }).pipe(Effect.scoped)
  )

  it.effect("start at once where a place waits for its next start", () =>
    Effect.gen(function* () {
      const { at, complete, replaceAll, started } = yield* open
      const processes = started.length
      at(1).kill()
      yield* settle
      assert.lengthOf(started, processes)
      yield* replaceAll
      yield* settle
      assert.strictEqual(started.length, processes + 1)
      yield* complete
      assert.strictEqual(started.length, processes + count)
    }).pipe(Effect.scoped)
  )

  it.effect("stay where a replacement does not come up, and so do those after it (P922)", () =>
    Effect.gen(function* () {
      const { alive, replaceAll, started } = yield* open
      const before = alive()
      const round = yield* replaceAll
      yield* settle
      started.at(-1)!.exit({ code: 1, signal: null })
      yield* settle
      assert.isDefined(round.pollUnsafe())
      assert.deepStrictEqual(alive(), before)
    }).pipe(Effect.scoped)
  )

  it.effect("all end at a stop, one that starts included, and none starts after it", () =>
    Effect.gen(function* () {
      const { alive, at, registry, replaceAll, serving, started } = yield* open
      at(3).kill()
      yield* replaceAll
      yield* settle
      registry.stop()
      const processes = started.length
      assert.isTrue(alive().every(({ isStopped }) => isStopped))
      for (const process of alive()) process.exit()
      yield* settle
      yield* replaceAll
      yield* settle
      assert.strictEqual(yield* Fiber.join(serving), 0)
      assert.lengthOf(started, processes)
    }).pipe(Effect.scoped)
  )
})

/** Unanswered ticks before a process is silent, or hung. */
const silentAfter = 4
const hungAfter = 16

describe("a process that answers no pings", () => {
  it.effect("gets no new connections, until it answers again (P923)", () =>
    Effect.gen(function* () {
      const { at, registry } = yield* open
      at(2).answersPings = false
      for (let tick = 0; tick < silentAfter; tick++) yield* registry.ping
      for (let connection = 0; connection < 6; connection++) registry.dispatch(new Socket())
      assert.deepStrictEqual(
        [at(1), at(2), at(3)].map(({ sockets }) => sockets.length),
        [3, 0, 3]
      )
      at(2).answersPings = true
      at(2).pong()
      for (const number of [1, 3]) at(number).acknowledge()
      for (let connection = 0; connection < 3; connection++) registry.dispatch(new Socket())
      assert.deepStrictEqual(
        [at(1), at(2), at(3)].map(({ sockets }) => sockets.length),
        [4, 1, 4]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is killed and replaced, and what it did not take goes to another (P923)", () =>
    Effect.gen(function* () {
      const logged: Array<LogLine> = []
      const logger = Logger.make(({ fiber, message }) => {
        logged.push({ event: message, facts: { ...fiber.getRef(References.CurrentLogAnnotations) } })
      })
      return yield* Effect.provide(
        Effect.gen(function* () {
          const { alive, at, complete, registry } = yield* open
          const hung = at(2)
          hung.answersPings = false
          const sockets = Array.from({ length: 3 }, () => new Socket())
          for (const socket of sockets) registry.dispatch(socket)
          for (const number of [1, 3]) at(number).acknowledge()
          for (let tick = 1; tick < hungAfter; tick++) yield* registry.ping
          assert.isTrue(hung.isAlive)
          yield* registry.ping
          assert.isFalse(hung.isAlive)
          assert.lengthOf(
            hung.messages.filter(({ kind }) => kind === "ping"),
            1
          )
          yield* Effect.promise(() =>
            turn()
              .then(() => turn())
              .then(() => turn())
          )
          const [own] = hung.sockets
          assert.isTrue([at(1), at(3)].some(({ sockets }) => own !== undefined && sockets.includes(own)))
          assert.isFalse(own?.destroyed)
          yield* complete
          assert.deepStrictEqual(
            alive()
              .map(({ number }) => number)
              .sort(),
            [1, 2, 3]
          )
          const ended = logged.find(({ event }) => String(event) === "process_ended")
          assert.deepStrictEqual(ended?.facts, { process: 2, signal: "SIGKILL", restart_in_millis: 250 })
          assert.includeMembers(
            logged.map(({ event }) => String(event)),
            ["process_silent", "process_hung"]
          )
        }),
        Logger.layer([logger])
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is killed while it drains, so that the round goes on (P923)", () =>
    Effect.gen(function* () {
      const { at, complete, listenAll, registry, replaceAll } = yield* open
      const hung = at(1)
      hung.answersPings = false
      const round = yield* replaceAll
      yield* settle
      yield* listenAll
      assert.isTrue(hung.isStopped)
      for (let tick = 0; tick < hungAfter; tick++) yield* registry.ping
      assert.isFalse(hung.isAlive)
      yield* complete
      yield* Fiber.join(round)
    }).pipe(Effect.scoped)
  )

  it.effect("holds one connection at most while others acknowledge theirs (P923)", () =>
    Effect.gen(function* () {
      const { at, registry } = yield* open
      for (let connection = 0; connection < 30; connection++) {
        registry.dispatch(new Socket())
        for (const number of [1, 3]) at(number).acknowledge()
      }
      assert.lengthOf(at(2).sockets, 1)
    }).pipe(Effect.scoped)
  )
})

describe("the life of a worker process", () => {
  it("leads from each status to a drain and to its end, and from its end nowhere", () => {
    const { gone, ...living } = WorkerMachine.edges
    assert.deepStrictEqual(gone, {})
    for (const edges of Object.values(living)) {
      assert.deepStrictEqual(edges.Retired, ["draining"])
      assert.deepStrictEqual(edges.Exited, ["gone"])
    }
  })

  it("has a pause after its end that doubles with each short life, up to half a minute", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 7, 8, 20].map(WorkerMachine.pauseMillis),
      [250, 500, 1_000, 16_000, 30_000, 30_000]
    )
  })
})
