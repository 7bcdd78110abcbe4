/** A server under test in a process of its own, so that its CPU and memory can be told from the load's. */
import { fork } from "node:child_process"

export interface Usage {
  /** Of all threads, since the process began. */
  readonly cpuMicros: number
  readonly rssBytes: number
}

export interface Child {
  readonly origin: string
  readonly usage: () => Promise<Usage>
  readonly stop: () => Promise<void>
}

type Message = { readonly ready: string } | { readonly usage: Usage }

/** Starts `file` with `args`; it must call `report` when it listens. */
export const start = (file: URL, args: ReadonlyArray<string>): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child = fork(file, [...args], { execArgv: ["--conditions=@limbeck/source", "--expose-gc"], stdio: "inherit" })
    const waiting: Array<(usage: Usage) => void> = []
    child.once("exit", (code) => reject(new Error(`the server under test ended with ${code}`)))
    child.on("message", (message: Message) => {
      if ("usage" in message) return waiting.shift()?.(message.usage)
      resolve({
        origin: message.ready,
        usage: () =>
          new Promise((answer) => {
            waiting.push(answer)
            child.send("usage")
          }),
        stop: () =>
          new Promise((ended) => {
            child.removeAllListeners("exit").once("exit", () => ended())
            child.kill("SIGTERM")
          })
      })
    })
  })

/** What the process under test calls, once, when it listens on `origin`. */
export const report = (origin: string): void => {
  process.once("SIGINT", () => process.exit(0))
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    process.send?.({ usage: { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() } })
  })
  process.send?.({ ready: origin })
}
