/**
 * The program `limbeck` in this process: a command costs milliseconds, where a process of its own costs half a second of processor
 * time. Tests of what only a process has (pipes, signals, its working directory and its end) use `ProgramIn.ts` and `Server.ts`.
 */
import * as Cli from "../src/Cli.ts"
import * as Terminal from "../src/terminal/Terminal.ts"
import { type Environment, inherited, type ServerResult } from "./Server.ts"

/** What commands listen to until the end of their process. */
const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/** Removes the listeners that `run` adds: here the process goes on. */
const withoutNewListeners = async <A>(run: () => Promise<A>): Promise<A> => {
  const before = new Map(signals.map((name) => [name, process.listeners(name)]))
  try {
    return await run()
  } finally {
    for (const [name, known] of before) {
      for (const listener of process.listeners(name)) if (!known.includes(listener)) process.off(name, listener)
    }
  }
}

export interface Given {
  /** On standard input. */
  readonly input?: string
  /** Columns of the terminal; absent: there is none. */
  readonly width?: number
}

async function* linesIn(text: string) {
  yield* text.split("\n").filter((line) => line !== "")
}

/** Runs a command in this process with its own screen and standard input. */
export const runOnScreen = async (words: ReadonlyArray<string>, { input = "", width }: Given = {}) => {
  let [out, error] = ["", ""]
  const restore = Terminal.use({
    out: (text) => {
      out += text
    },
    error: (text) => {
      error += text
    },
    input: () => linesIn(input),
    width: () => width ?? null,
    isJson: Terminal.wantsJson(words)
  })
  try {
    return { code: await Cli.execute(words), out, error }
  } finally {
    restore()
  }
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const execute = async (environment: Environment, words: ReadonlyArray<string>): Promise<ServerResult> => {
  const variables = process.env
  process.env = { ...inherited(), PORT: "0", ...environment }
  try {
    const { code, error, out } = await withoutNewListeners(() => runOnScreen(words))
    return { code, stdout: linesOf(out), stderr: linesOf(error) }
  } finally {
    process.env = variables
  }
}

/** The screen and the environment belong to the whole process: one command at a time. */
let last: Promise<unknown> = Promise.resolve()

/**
 * What a process of the program with this environment would write and end with, without standard input. Concurrent calls wait for each
 * other.
 *
 * @example
 * const { code, stdout } = await runHere({ LIMBECK_URL: server.origin, LIMBECK_TOKEN: testToken }, ["token", "list"])
 */
export const runHere = (environment: Environment, words: ReadonlyArray<string>): Promise<ServerResult> => {
  const ended = last.then(() => execute(environment, words))
  last = ended.catch(() => {})
  return ended
}
