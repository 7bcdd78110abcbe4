/** Writes `scoreWasm.ts` from `score.wat`: `npm run wasm -w @limbeck/executors`. */
import { writeFileSync } from "node:fs"
import * as Compiled from "./Compiled.ts"

writeFileSync(Compiled.target, await Compiled.text())
