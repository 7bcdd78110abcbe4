/** Writes schema.sql: what the migrations make. Run it after adding one; a test compares. */
import { writeFileSync } from "node:fs"
import { schemaText } from "../src/migrations/internal/Migrations.ts"

writeFileSync(new URL("../schema.sql", import.meta.url), schemaText())
