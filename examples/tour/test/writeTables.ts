/** `npm run docs:tables`: writes the tables of settings into their page. */
import { readFileSync, writeFileSync } from "node:fs"
import { page, withTables } from "./SettingTables.ts"

writeFileSync(page, withTables(readFileSync(page, "utf8")))
