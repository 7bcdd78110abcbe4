/** A separate process for the measured program, so that its CPU and memory are apart from the load's. */
import { fork } from "node:child_process"
import { allocatorVariables, nodeFlags } from "@limbeck/node/ProcessFlags"

interface Usage {
  /** Of all threads, since the process began. */
  readonly cpuMicros: number
  readonly rssBytes: number
}

/** What can be measured. */
export interface Subject {
  readonly origin: string
  readonly usage: () => Promise<Usage>
  /** Also when it has ended already. */
  readonly stop: () => Promise<void>
}

/** One of our own. */
export interface Child extends Subject {
  /** Has the process do something; answers what it answered. */
  readonly ask: <A>(command: object) => Promise<A>
}

interface Question {
  readonly id: number
  readonly command: object
}

type Message = { readonly ready: string } | { readonly id: number; readonly answer: unknown }

const usageCommand = { kind: "usage" }

/** The process's CPU during `work`. */
export const spending = async <A>(child: Subject, work: () => Promise<A>) => {
  const before = await child.usage()
  const done = await work()
  return { done, cpuMicros: (await child.usage()).cpuMicros - before.cpuMicros }
}

/** The flags of `limbeck serve`, for measuring its memory. */
export const serverFlags = nodeFlags
export const serverEnvironment = allocatorVariables

/** Starts `file` with `args`, Node `flags` and extra environment; the file must call `report` when ready. */
export const start = (
  file: URL,
  args: ReadonlyArray<string>,
  flags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {}
): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child = fork(file, [...args], {
      execArgv: ["--conditions=@limbeck/source", ...flags],
      env: { ...process.env, ...environment },
      stdio: "inherit"
    })
    const waiting = new Map<number, (answer: unknown) => void>()
    let asked = 0
    const ask = <A>(command: object): Promise<A> =>
      new Promise((answer) => {
        const question: Question = { id: ++asked, command }
        // Each command declares the type of its response.
        waiting.set(question.id, answer as (answer: unknown) => void)
        child.send(question)
      })
    const stop = (): Promise<void> =>
      new Promise((ended) => {
        if (child.exitCode !== null || child.signalCode !== null) return ended()
        child.removeAllListeners("exit").once("exit", () => ended())
        child.kill("SIGTERM")
      })
    child.once("exit", (code) => reject(new Error(`the process under test ended with ${code}`)))
    child.on("message", (message: Message) => {
      if ("ready" in message)
        return resolve({ origin: message.ready, usage: () => ask<Usage>(usageCommand), ask, stop })
      waiting.get(message.id)?.(message.answer)
      waiting.delete(message.id)
    })
  })

const usage = (): Usage => {
  const { system, user } = process.cpuUsage()
  return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
}

/** Called once by the process when ready at `origin`; `perform` executes commands. */
export const report = (origin: string, perform: (command: object) => unknown = () => null): void => {
  process.on("message", async ({ command, id }: Question) => {
    const isUsage = "kind" in command && command.kind === usageCommand.kind
    process.send?.({ id, answer: isUsage ? usage() : await perform(command) })
  })
  // Nobody is left to measure.
  process.on("disconnect", () => process.exit())
  process.send?.({ ready: origin })
}
