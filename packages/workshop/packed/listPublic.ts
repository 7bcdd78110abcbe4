/** Prints the folder of each public package, one a line; with `--workspaces` as arguments of npm. */
import { publicPackages } from "./Public.ts"
import { root } from "./Release.ts"

const prefix = process.argv.includes("--workspaces") ? "--workspace=packages/" : "packages/"
for (const name of publicPackages(root)) process.stdout.write(`${prefix}${name}\n`)
