/** Runs once before all tests: checks the version of Node, and starts a Postgres for each worker. */
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { TestProject } from "vitest/node"
import type { AtEnd } from "./AtEnd.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * For `fixtures/Postgres`. A libpq URI per worker; a throw-away server's names its socket:
     * `postgres:///postgres?host=%2Ftmp%2F…&port=5432&user=postgres`.
     */
    readonly postgres: { readonly urls: ReadonlyArray<string> }
  }
}

const nodeMin = [22, 19] as const

const checkNode = (version: string) => {
  const [major = 0, minor = 0] = version.replace("v", "").split(".").map(Number)
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return
  throw new Error(
    `Limbeck's tests need Node ${nodeMin.join(".")} or later, and this is ${version}. Start them with \`npm test\`, ` +
      "which uses the Node of node_modules/.bin, after `npm ci` with the install script of the package `node` allowed."
  )
}

/**
 * `TEST_DATABASE_URL` names a server to use. Otherwise starts some for this run, fast rather than safe, one per worker:
 * concurrent files never see each other's effects on a server, such as a long transaction.
 */
const postgres = async (project: TestProject, atEnd: AtEnd) => {
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined && given !== "") return project.provide("postgres", { urls: [given] })
  const scope = await Effect.runPromise(Scope.make())
  const launched = EmbeddedPostgres.launch({ settings: { max_connections: "200" } })
  const all = Effect.replicateEffect(launched, project.vitest.config.maxWorkers, { concurrency: 2 })
  const servers = await Effect.runPromise(Scope.provide(all, scope))
  project.provide("postgres", { urls: servers.map(({ url }) => url) })
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
}

const setup = async (project: TestProject) => {
  checkNode(process.version)
  const undone: Array<() => Promise<void> | void> = []
  const atEnd = (undo: () => Promise<void> | void) => void undone.push(undo)
  await postgres(project, atEnd)
  return async () => {
    for (const undo of undone) await undo()
  }
}

export default setup
