/** `npm run check:public`: prints how many modules users are meant to import, and what is wrong with the list of them. */
import { root } from "../packed/Release.ts"
import { faultsOf } from "./Faults.ts"
import { modulesOf, unknownNames } from "./Modules.ts"
import { usesIn } from "./Uses.ts"

const modules = modulesOf(root)
const open = modules.filter(({ isPublic }) => isPublic)
process.stdout.write(`${open.length} public modules, and ${modules.length - open.length} for sibling packages\n`)
if (process.argv.includes("--list")) process.stdout.write(`${open.map(({ specifier }) => specifier).join("\n")}\n`)
const faults = faultsOf(modules, usesIn(root), unknownNames(root))
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
