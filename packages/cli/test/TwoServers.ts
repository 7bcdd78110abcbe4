/** Two servers on one database, as two machines would be. */

import type { AtEnd } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { Api, type Run } from "./Api.ts"
import { type Environment, quiet, Server } from "./Server.ts"

export const twoServers = async (atEnd: AtEnd, settings: Environment = {}) => {
  const DATABASE_URL = await freshDatabase(atEnd)
  const environment = {
    ...quiet,
    LOG_LEVEL: "info",
    DATABASE_URL,
    ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64"),
    ...settings
  }
  const servers = [new Server(atEnd, environment), new Server(atEnd, environment)] as const
  // Concurrently, on an empty database: one server migrates, and one creates the workspace.
  await Promise.all(servers.map((server) => server.start()))
  const [a, b] = servers
  return { a: new Api(a), b: new Api(b), servers, environment, database: DATABASE_URL }
}

export const attemptsOf = (run: Run): ReadonlyArray<number> => run.stages.map(({ attempt }) => attempt)
