/** The end of a command: its exit code and its message on standard error. */
import { NotFound } from "@limbeck/core/errors/Errors"
import { InvalidSetting } from "@limbeck/server/Settings"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Terminal from "../terminal/Terminal.ts"
import type { Settings } from "./Settings.ts"

const exitCodes = { stopped: 0, failure: 1, wrongSetting: 2 } as const

/** What is at the bottom of it: errors of libraries wrap each other. */
export const rootMessage = (error: Error): string => {
  const reason = "reason" in error ? error.reason : undefined
  const inner = error.cause ?? (reason instanceof Error ? reason : undefined)
  return inner instanceof Error ? rootMessage(inner) : error.message
}

/** Environment variables whose values are checked at the start of the services. */
const variables: Readonly<Record<string, string>> = { encryptionKeys: "ENCRYPTION_KEY" }

/** The errors that are for the operator to mend, by their tags: their modules are not loaded for their names. */
const wrongSettings: ReadonlySet<unknown> = new Set([
  "CatalogUnusable",
  "DataDirUnusable",
  "EmbeddingsUnusable",
  "InvalidSetting",
  "PricesUnusable",
  "RayUnusable"
])

/** One line for an operator's mistake; the whole cause for a defect. */
const explain = (cause: Cause.Cause<unknown>, { databaseUrl }: Settings): string => {
  const error = Cause.squash(cause)
  if (!(error instanceof Error) || !("_tag" in error)) return Cause.pretty(cause)
  if (error instanceof InvalidSetting) return `${variables[error.setting] ?? error.setting}: ${error.message}`
  if (error instanceof NotFound) return `There is no ${error.resource} ${error.id}`
  if (!("operation" in error)) return error.message
  const where = databaseUrl === null ? "could not use the storage" : "could not use the database of DATABASE_URL"
  return `${where} (${String(error.operation)}): ${rootMessage(error)}`
}

/** Of settings that could not be read. */
export const ofWrongSetting = (message: string): number => {
  Terminal.failure({ code: "settings", lines: message.split("\n") })
  return exitCodes.wrongSetting
}

/** A success, or a stop that was asked for, says nothing. */
export const of = (exit: Exit.Exit<unknown, unknown>, settings: Settings): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exitCodes.stopped
  const error = Cause.squash(exit.cause)
  const isWrongSetting = error instanceof Error && "_tag" in error && wrongSettings.has(error._tag)
  Terminal.failure({ code: isWrongSetting ? "settings" : null, lines: explain(exit.cause, settings).split("\n") })
  return isWrongSetting ? exitCodes.wrongSetting : exitCodes.failure
}
