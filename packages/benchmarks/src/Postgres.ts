/** A durable Postgres of its own for each measurement, so that none inherits another's tables. */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"

/** `settings`: more of `postgresql.conf`. */
export const use = async <A>(
  work: (url: string) => Promise<A>,
  settings: Readonly<Record<string, string>> = {}
): Promise<A> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-"))
  const working = Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres.launch({ dataDir: path.join(folder, "data"), durable: true, settings })
    return yield* Effect.promise(() => work(url))
  })
  try {
    return await Effect.runPromise(Effect.scoped(working))
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}
