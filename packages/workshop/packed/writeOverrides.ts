/** The last step of `npm run pack`: what pnpm needs to install the packs lies beside them. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Overrides from "./Overrides.ts"

const packs = path.resolve(import.meta.dirname, "../../../packs")
fs.writeFileSync(path.join(packs, Overrides.file), Overrides.of(packs))
