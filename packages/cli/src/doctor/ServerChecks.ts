/** Checks a running server and its surroundings through its API, with the token of the other commands. */
import { ApiError, AuthenticationError, type Client, ConnectionError, makeClient, type Source } from "@limbeck/client"
import { CommandError } from "../remote/CommandError.ts"
import * as Connection from "../remote/Connection.ts"
import type { Environment } from "../serve/Environment.ts"
import { type Finding, fault, good, skip, warning } from "./Finding.ts"

const source = async (client: Client, { base_url: url, id, name }: Source): Promise<Finding> => {
  const { ok, reason, status_code: status } = await client.sources.verify(id)
  if (ok) return good("egress", `the source ${name} answers`)
  if (reason === "blocked_address")
    return fault("egress", `the source ${name}: ${url} leads to a private address; name its network in EGRESS_ALLOW`)
  const told = status === null ? reason : `${reason}, HTTP ${status}`
  return fault("egress", `the source ${name}: ${url} is no good: ${told}`)
}

const sources = async (client: Client): Promise<ReadonlyArray<Finding>> => {
  const all = await client.sources.list().all()
  if (all.length === 0) return [skip("egress", "there is no source yet")]
  return Promise.all(all.map((one) => source(client, one)))
}

const health = async (client: Client): Promise<Finding> => {
  const { capture } = await client.health()
  return good("server", `it is well; ${capture?.waiting ?? 0} captured calls are on their way to storage`)
}

const token = async (client: Client): Promise<Finding> => {
  const { credential, workspace } = await client.whoami()
  return good("token", `LIMBECK_TOKEN is a ${credential.environment} token of ${workspace.name}`)
}

const failed = (url: string, error: unknown): Finding => {
  if (error instanceof AuthenticationError)
    return fault(
      "token",
      "LIMBECK_TOKEN: the server does not know it, or it has ended; make another: limbeck token create"
    )
  if (error instanceof CommandError) return fault("token", error.message)
  if (error instanceof ConnectionError) return warning("server", `no server answers at ${url}; start it: limbeck serve`)
  if (error instanceof ApiError) return fault("server", `${error.message} (${error.code})`)
  throw error
}

export const server = async (environment: Environment): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  let url = Connection.defaultUrl
  try {
    const { baseUrl, token: secret } = Connection.of(environment)
    url = baseUrl
    if (secret === undefined) return [skip("server", "LIMBECK_TOKEN is not set, so no server was asked")]
    const client = makeClient({ baseUrl, token: secret, retriesMax: 0 })
    findings.push(await health(client))
    findings.push(await token(client))
    findings.push(...(await sources(client)))
  } catch (error) {
    findings.push(failed(url, error))
  }
  return findings
}
