/** File system calls of a stage. A failed call fails the stage, and another attempt may succeed. */
import * as fs from "node:fs/promises"
import { StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { privateFile } from "./PrivateModes.ts"

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error)

/** Tenants never see paths of the server. */
export const unusable = (error: unknown) =>
  new StageFailure({
    code: "work_folder",
    message: `The work folder cannot be used: ${codeOf(error)}`,
    retryable: true
  })

export const io = <A>(call: () => Promise<A>): Effect.Effect<A, StageFailure> =>
  Effect.tryPromise({ try: call, catch: unusable })

/** The text of a file, or null for a missing file. */
export const readText = (file: string): Promise<string | null> =>
  fs.readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null
    throw error
  })

/** Whole or not at all, also for readers meanwhile and after a crash. */
export const writeJson = async (file: string, value: Schema.Json): Promise<void> => {
  await fs.writeFile(`${file}.new`, JSON.stringify(value), { mode: privateFile })
  await fs.rename(`${file}.new`, file)
}

export const exists = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false
  )
