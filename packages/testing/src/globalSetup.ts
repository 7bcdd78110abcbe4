/** Runs once before all tests: says so when Node is too old, and gives every test file one Postgres to make schemas in. */
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * `const { url } = inject("postgres")`, then `PgClient.layer({ url: Redacted.make(url) })`. A libpq URI; the throw-away
     * server's names its socket: `postgres:///postgres?host=%2Ftmp%2F…&port=5432&user=postgres`.
     */
    readonly postgres: { readonly url: string }
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

/** `TEST_DATABASE_URL` names a server to use; else one is started for this run, fast rather than safe. */
const setup = async (project: TestProject) => {
  checkNode(process.version)
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined && given !== "") return project.provide("postgres", { url: given })
  const scope = await Effect.runPromise(Scope.make())
  const launched = EmbeddedPostgres.launch({ settings: { max_connections: "200" } })
  const { url } = await Effect.runPromise(Scope.provide(launched, scope))
  project.provide("postgres", { url })
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}

export default setup
