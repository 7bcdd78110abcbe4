/** `limbeck source`: adds, lists and verifies the providers of models. */
import type { Client, Source } from "@limbeck/client"
import type { Environment } from "../serve/Environment.ts"
import { CommandError } from "./CommandError.ts"
import * as Connection from "./Connection.ts"
import { printList } from "./Listing.ts"
import type { Command } from "./Remote.ts"

export interface NewSource {
  readonly name: string
  readonly baseUrl: string
  /** The environment variable with the key: other programs could read a command line. */
  readonly keyFrom?: string | undefined
  readonly models: ReadonlyArray<string>
  readonly isDefault: boolean
}

const lineOf = ({ base_url: url, default: isDefault, id, name }: Source): string =>
  `${id} ${name} ${url}${isDefault ? " (default)" : ""}`

/** The key in the named variable, if any. */
export const keyOf = (environment: Environment, variable: string | undefined): { readonly api_key?: string } => {
  if (variable === undefined) return {}
  const key = environment[variable]
  if (key === undefined || key === "") throw new CommandError(`--key-from: ${variable} is not set`)
  Connection.checkSecret(environment, variable)
  return { api_key: key }
}

export const add =
  (environment: Environment, { baseUrl, isDefault, keyFrom, models, name }: NewSource): Command =>
  async (client, output) => {
    const source = await client.sources.create({
      name,
      kind: "byok",
      base_url: baseUrl,
      ...keyOf(environment, keyFrom),
      ...(models.length === 0 ? {} : { models: [...models] }),
      ...(isDefault ? { default: true } : {})
    })
    output.result(source, lineOf(source))
    return 0
  }

export const list: Command = (client, output) =>
  printList(output, client.sources.list(), lineOf, "There is no source yet: limbeck source add makes one")

const idOf = async (client: Client, nameOrId: string): Promise<string> => {
  for await (const { id, name } of client.sources.list()) if (id === nameOrId || name === nameOrId) return id
  throw new CommandError(`There is no source ${nameOrId}`)
}

/** Calls the provider with the stored key. */
export const verify =
  (nameOrId: string): Command =>
  async (client, output) => {
    const verification = await client.sources.verify(await idOf(client, nameOrId))
    const { duration_ms: millis, models, ok, reason, status_code: status } = verification
    const good = `${nameOrId} is good: ${models.length} models, ${millis} ms`
    const bad = `${nameOrId} is not good: ${reason ?? "unknown"}${status === null ? "" : `, HTTP ${status}`}`
    output.result(verification, ok ? good : bad)
    return ok ? 0 : 1
  }
