/**
 * The server and the token of a command. Both come from one place: a stranger's `.env` in the folder must not choose the
 * server that receives the environment's token.
 */
import * as DotEnv from "../DotEnv.ts"
import type { Environment } from "../serve/Environment.ts"
import { CommandError } from "./CommandError.ts"

export const defaultUrl = "http://127.0.0.1:8080"

export interface Connection {
  readonly baseUrl: string
  /** Undefined where no token is set. */
  readonly token: string | undefined
}

const places = { file: "in .env of this folder", environment: "in the environment" } as const

/** The file's URL may have a token of the environment that the file holds too, as `LIMBECK_TOKEN=$BOOTSTRAP_LIVE_TOKEN` does. */
const mixFault = (environment: Environment, token: string): string | undefined => {
  const urlSource = DotEnv.sourceOf(environment, "LIMBECK_URL")
  const tokenSource = DotEnv.sourceOf(environment, "LIMBECK_TOKEN")
  if (urlSource === null || tokenSource === null || urlSource === tokenSource) return undefined
  if (urlSource === "file" && DotEnv.holds(token)) return undefined
  return `LIMBECK_URL is set ${places[urlSource]}, and LIMBECK_TOKEN ${places[tokenSource]}: set both in one of them, so that no token goes to a server that it is not for`
}

const valueOf = (environment: Environment, name: string): string | undefined =>
  DotEnv.sourceOf(environment, name) === null ? undefined : environment[name]

/** Fails if URL and token come from different places. */
export const of = (environment: Environment): Connection => {
  const baseUrl = valueOf(environment, "LIMBECK_URL") ?? defaultUrl
  const token = valueOf(environment, "LIMBECK_TOKEN")
  const fault = token === undefined ? undefined : mixFault(environment, token)
  if (fault !== undefined) throw new CommandError([fault], "settings")
  return { baseUrl, token }
}

const isThisMachine = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/** Fails where a secret of the environment would go to another machine that the file of the folder names. */
export const checkSecret = (environment: Environment, variable: string): void => {
  const { baseUrl } = of(environment)
  const goesAway = DotEnv.sourceOf(environment, "LIMBECK_URL") === "file" && !isThisMachine(baseUrl)
  if (!goesAway || DotEnv.sourceOf(environment, variable) !== "environment") return
  throw new CommandError(
    [
      `${variable} is set in the environment, and LIMBECK_URL (${baseUrl}) in .env of this folder: set LIMBECK_URL in the environment too, so that no key goes to a server that it is not for`
    ],
    "settings"
  )
}
