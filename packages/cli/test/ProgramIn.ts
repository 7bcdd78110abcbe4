/** The program `limbeck` in a folder of its own, with what a shell would give it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { inherited, main } from "./Server.ts"

export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  readonly environment?: Readonly<Record<string, string>>
  /** Text for standard input, through a pipe. */
  readonly input?: string
}

const environmentOf = (environment: Readonly<Record<string, string>>) => ({
  ...inherited(),
  NODE: process.execPath,
  LIMBECK: main,
  ...environment
})

const ended = async (child: ReturnType<typeof spawn>, input: string): Promise<ProgramResult> => {
  child.stdin?.on("error", () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "close")])
  return { code, stdout, stderr }
}

export const runIn = (folder: string, command: ReadonlyArray<string>, { environment = {}, input = "" }: Options = {}) =>
  ended(
    spawn(process.execPath, ["--conditions=@limbeck/source", main, ...command], {
      cwd: folder,
      env: environmentOf(environment)
    }),
    input
  )

/** Runs a shell line in which `limbeck` is the program. */
export const shellIn = (folder: string, script: string, environment: Readonly<Record<string, string>> = {}) =>
  ended(
    spawn("/bin/sh", ["-c", `limbeck() { "$NODE" --conditions=@limbeck/source "$LIMBECK" "$@"; }; ${script}`], {
      cwd: folder,
      env: environmentOf(environment)
    }),
    ""
  )
