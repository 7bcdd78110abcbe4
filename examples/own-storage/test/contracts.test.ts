/** Every promise of every port, kept by the adapter. This file runs in a folder of its own too, on the packages as they are published. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { suites } from "@limbeck/testing/contracts/all"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StorageSqlite from "../src/StorageSqlite.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "own-storage-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

suites(
  "SQLite",
  Layer.unwrap(Effect.map(folder, (path) => StorageSqlite.layer({ file: join(path, "limbeck.db") })))
)
