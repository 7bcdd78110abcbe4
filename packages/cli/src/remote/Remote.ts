/** Commands that ask a running server, by its API: where it is, with which token, and how they end. */
import { ApiError, type Client, ConnectionError, makeClient } from "@limbeck/client"
import type { Output } from "../Output.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"

export const defaultUrl = "http://127.0.0.1:8080"

/** What a command does with the server; returns the exit code of the process. */
export type Command = (client: Client, output: Output) => Promise<number>

/** The signal of the commands that go on until they are told to stop. */
export const stopped = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort())
  return controller.signal
}

/** A mistake in what the command was given; the message says which. */
export class CommandError extends Error {}

const explained = (error: unknown, url: string): string => {
  if (error instanceof ApiError) {
    const field = error.param === null ? "" : `${error.param}: `
    return `${field}${error.message} (${error.code}, request ${error.requestId ?? "unknown"})`
  }
  if (error instanceof ConnectionError) return `No answer from ${url}: ${error.message}; limbeck serve starts a server`
  return error instanceof Error ? error.message : String(error)
}

/** For programs: the code of the API where there is one. */
const errorOf = (error: unknown, url: string) => ({
  error: {
    code: error instanceof ApiError ? error.code : null,
    message: explained(error, url),
    request_id: error instanceof ApiError ? error.requestId : null
  }
})

/** Returns the exit code of the process. */
export const run = async (environment: Environment, output: Output, command: Command): Promise<number> => {
  const { LIMBECK_TOKEN: token, LIMBECK_URL: baseUrl = defaultUrl } = environment
  if (token === undefined) return Exits.ofWrongSetting("LIMBECK_TOKEN: the token of a workspace is needed")
  try {
    return await command(makeClient({ baseUrl, token }), output)
  } catch (error) {
    process.stderr.write(`${output.isJson ? JSON.stringify(errorOf(error, baseUrl)) : explained(error, baseUrl)}\n`)
    return 1
  }
}
