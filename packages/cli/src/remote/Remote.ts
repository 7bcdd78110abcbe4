/** Commands that ask a running server, by its API: where it is, with which token, and how they end. */
import { ApiError, type Client, ConnectionError, makeClient } from "@limbeck/client"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"

const defaultUrl = "http://127.0.0.1:8080"

/** The signal of the commands that go on until they are told to stop. */
export const stopped = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort())
  return controller.signal
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

const explained = (error: unknown, url: string): string => {
  if (error instanceof ApiError) return `${error.message} (${error.code}, request ${error.requestId ?? "unknown"})`
  if (error instanceof ConnectionError) return `No answer from ${url}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/** Returns the exit code of the process. */
export const run = async (environment: Environment, command: (client: Client) => Promise<number>): Promise<number> => {
  const { LIMBECK_TOKEN: token, LIMBECK_URL: baseUrl = defaultUrl } = environment
  if (token === undefined) return Exits.ofWrongSetting("LIMBECK_TOKEN: the token of a workspace is needed")
  try {
    return await command(makeClient({ baseUrl, token }))
  } catch (error) {
    process.stderr.write(`${explained(error, baseUrl)}\n`)
    return 1
  }
}
