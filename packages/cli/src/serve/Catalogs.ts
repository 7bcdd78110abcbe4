/** The students and compute profiles of `CATALOG_FILE`, checked before anything starts. */
import { readFile } from "node:fs/promises"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Settings } from "./Settings.ts"

/** The message is one line for the file's author. */
class CatalogUnusable extends Data.TaggedError("CatalogUnusable")<{ readonly message: string }> {}

const unusable = (file: string, problem: string) =>
  new CatalogUnusable({ message: `CATALOG_FILE: ${file}: ${problem}` })

/** Undefined where no file is named. */
export const load = Effect.fnUntraced(function* ({ catalogFile: file }: Pick<Settings, "catalogFile">) {
  if (file === null) return undefined
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () => unusable(file, "cannot be read")
  })
  const catalog = yield* Effect.try({
    // Its shape is looked at next.
    try: () => JSON.parse(text) as NonNullable<Assembly.AssemblyOptions["catalog"]>,
    catch: () => unusable(file, "is not JSON")
  })
  yield* Effect.mapError(Assembly.catalogOf(catalog), ({ message }) => unusable(file, message))
  return catalog
})
