/** How a member speaks with its parent. Without a parent it speaks for itself. */
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type { Member, Said, Told } from "./Member.ts"

export interface Voice {
  /** Tells that requests are answered from now on. */
  readonly listens: (url: string) => Effect.Effect<void>
  /** The metrics of all processes, this one's among them: made of `own`, which the others ask for. */
  readonly metrics: (own: Effect.Effect<string>) => Effect.Effect<string>
}

const say = (said: Said) => Effect.sync(() => void process.send?.(said))

/** What the parent says, which says nothing else; a connection whose client has left comes without its socket. */
const hear = (answer: (told: Told, socket: Socket | undefined) => void): void =>
  void process.on("message", (told, socket) => answer(told as Told, socket as Socket | undefined))

/** Each connection that this process is handed. */
export const onConnection = (take: (socket: Socket) => void): void =>
  hear((told, socket) => {
    if (told.kind !== "a connection") return
    // Before anything is read of it: what was read is lost with this process.
    process.send?.({ kind: "has connection", connection: told.connection } satisfies Said)
    if (socket !== undefined) take(socket)
  })

/** The parent's word, and its death. */
export const onStop = (stop: () => void): void => {
  hear((told) => {
    if (told.kind === "stop") stop()
  })
  process.once("disconnect", stop)
}

const ofMember = (): Voice => {
  const asking = new Map<number, (page: string) => void>()
  let asked = 0
  let own: Effect.Effect<string> = Effect.succeed("")
  hear((told) => {
    if (told.kind === "all metrics") {
      asking.get(told.asked)?.(told.page)
      asking.delete(told.asked)
    } else if (told.kind === "your metrics, please") {
      Effect.runFork(Effect.flatMap(own, (page) => say({ kind: "my metrics", asked: told.asked, page })))
    }
  })
  return {
    listens: () => say({ kind: "listens" }),
    metrics: (page) => {
      own = page
      return Effect.callback((resume) => {
        const question = ++asked
        asking.set(question, (whole) => resume(Effect.succeed(whole)))
        process.send?.({ kind: "all metrics, please", asked: question } satisfies Said)
      })
    }
  }
}

const alone: Voice = {
  listens: (url) => Effect.sync(() => void process.stdout.write(`Limbeck listens on ${url}\n`)),
  metrics: (own) => own
}

export const make = (member: Member | null): Voice => (member === null ? alone : ofMember())
