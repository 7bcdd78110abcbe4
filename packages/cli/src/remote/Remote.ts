/** Commands that ask a running server, by its API, and how they end. */
import { ApiError, type Client, ConnectionError, makeClient } from "@limbeck/client"
import { type Calls, makeOperations } from "@limbeck/client/operations"
import type { Output } from "../Output.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Terminal from "../terminal/Terminal.ts"
import { CommandError } from "./CommandError.ts"
import * as Connection from "./Connection.ts"

/** What a command does with the server; returns the exit code of the process. `operations`: the same client by operation ids. */
export type Command = (client: Client, output: Output, operations: Calls) => Promise<number>

/** Aborted by SIGINT, by SIGTERM, and when the reader of the output closes the pipe. */
export const stopSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort())
  Terminal.onReaderGone(() => controller.abort())
  return controller.signal
}

const linesOf = (error: unknown): ReadonlyArray<string> => {
  if (error instanceof CommandError) return error.lines
  if (error instanceof ApiError) {
    const field = error.param === null ? "" : `${error.param}: `
    return [`${field}${error.message} (${error.code}, request ${error.requestId ?? "unknown"})`]
  }
  if (error instanceof ConnectionError) return [`${error.message}; limbeck serve starts a server`]
  return [error instanceof Error ? error.message : String(error)]
}

export const failureOf = (error: unknown): Terminal.Failure => ({
  code: error instanceof ApiError || error instanceof CommandError ? error.code : null,
  lines: linesOf(error),
  requestId: error instanceof ApiError ? error.requestId : null
})

const performed = async ({ baseUrl, token }: Connection.Connection, output: Output, command: Command) => {
  if (token === undefined) return Exits.ofWrongSetting("LIMBECK_TOKEN: the token of a workspace is needed")
  try {
    const options = { baseUrl, token }
    return await command(makeClient(options), output, makeOperations(options))
  } catch (error) {
    Terminal.failure(failureOf(error))
    return 1
  }
}

/** Returns the exit code of the process. */
export const run = async (environment: Environment, output: Output, command: Command): Promise<number> => {
  try {
    return await performed(Connection.of(environment), output, command)
  } catch (error) {
    if (error instanceof CommandError) return Exits.ofWrongSetting(error.message)
    throw error
  }
}
