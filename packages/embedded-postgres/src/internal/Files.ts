/** Where things lie in the caller's folder. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"

/** Postgres's own folder. */
export const dataOf = (root: string) => path.join(root, "data")

/** Undefined for a missing or unreadable file. */
export const read = (file: string) => Effect.promise(() => fs.readFile(file, "utf8").catch(() => undefined))
