/** The processes that run. Each is started here, is handed connections in its turn, and is asked for its metrics. */
import { type ChildProcess, fork } from "node:child_process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { afterReads } from "../Drain.ts"
import * as Gatherer from "./Gatherer.ts"
import * as Handing from "./Handing.ts"
import { type Member, type Said, type Told, variables } from "./Member.ts"

/** A process, from its start to its end. */
export interface Running extends Handing.Taker {
  readonly number: number
  readonly startedAt: number
  /** Ends when it answers, with true; with false where it ended before. */
  readonly listening: Deferred.Deferred<boolean>
  /** Its exit code. */
  readonly ended: Deferred.Deferred<number>
}

const tell = ({ child }: Running, told: Told): void => {
  if (child.connected) child.send(told)
}

const askable = (running: Running): Gatherer.Asked => ({
  number: running.number,
  ask: (asked) => tell(running, { kind: "your metrics, please", asked })
})

const running = (number: number, child: ChildProcess): Running => ({
  number,
  child,
  startedAt: performance.now(),
  listening: Deferred.makeUnsafe(),
  ended: Deferred.makeUnsafe(),
  handing: new Map(),
  isOpen: false
})

/** None is started yet. */
export const make = (common: Omit<Member, "number">) => {
  /** Those that answer, or did until a moment ago, by their numbers. */
  const all = new Map<number, Running>()
  /** Also those that are to take a place, and those whose place was taken. */
  const alive = new Set<Running>()
  const gatherer = Gatherer.make()
  const stopping = Latch.makeUnsafe(false)
  const { give, giveAgain, giveWaiting, taken } = Handing.make(() => [...all.values()])
  let isStopping = false
  let worst = 0

  const hear = (running: Running, said: Said): void => {
    if (said.kind === "has connection") taken(running, said.connection)
    else if (said.kind === "my metrics") gatherer.answered(running.number, said.asked, said.page)
    else if (said.kind === "all metrics, please") {
      const page = gatherer.page([...all.values()].map(askable))
      Effect.runFork(Effect.map(page, (page) => tell(running, { kind: "all metrics", asked: said.asked, page })))
    } else Deferred.doneUnsafe(running.listening, Effect.succeed(true))
  }

  const end = (running: Running, status: number): void => {
    alive.delete(running)
    running.isOpen = false
    if (isStopping) worst = Math.max(worst, status)
    Deferred.doneUnsafe(running.listening, Effect.succeed(false))
    Deferred.doneUnsafe(running.ended, Effect.succeed(status))
  }

  const start = (number: number): Running => {
    const child = fork(process.argv[1] ?? "", ["serve"], {
      env: { ...process.env, ...variables({ ...common, number }) }
    })
    const started = running(number, child)
    alive.add(started)
    // Members say nothing else.
    child.on("message", (said) => hear(started, said as Said))
    // It is gone: `exit` follows.
    child.on("error", () => {})
    child.once("exit", (code) => {
      end(started, code ?? 1)
      // What it said before is heard first. There is no `disconnect` while a socket is on its way.
      afterReads(() => giveAgain(started))
    })
    return started
  }

  return {
    all,
    start,
    give,
    /** From now on it takes the place of the one of its number. */
    enter: (running: Running): void => {
      all.set(running.number, running)
      running.isOpen = true
      giveWaiting()
    },
    /** It is handed no more, and ends when it has answered what it was asked. */
    retire: (running: Running): void => {
      running.isOpen = false
      tell(running, { kind: "stop" })
    },
    isStopping: (): boolean => isStopping,
    stopping: stopping.await,
    /** Has all of them drain and end. Once more: they no longer wait for requests under way. */
    stop: (): void => {
      isStopping = true
      stopping.openUnsafe()
      for (const running of alive) tell(running, { kind: "stop" })
    },
    /** After a stop: the worst exit code, when all have ended. */
    ended: Effect.suspend(() =>
      Effect.map(
        Effect.forEach([...alive], ({ ended }) => Deferred.await(ended), { discard: true }),
        () => worst
      )
    )
  }
}
