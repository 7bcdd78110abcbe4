/** Every promise of every port, kept by the adapter. `npm run check:packed` runs this file in a folder of its own as well. */
import { suites } from "@limbeck/testing/contracts/all"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StorageSqlite from "../src/StorageSqlite.ts"

suites("SQLite", Layer.unwrap(Effect.map(freshFolder, (directory) => StorageSqlite.layer({ directory }))))
