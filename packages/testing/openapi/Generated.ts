/** Compiles `openapi-typescript`'s types of the document with a program that uses them. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import openapiTS, { astToString } from "openapi-typescript"

/** Right and wrong uses of the types; a wrong use that compiles is an error. */
const program = `import type { components, operations } from "./schema.ts"

type Create = NonNullable<operations["createRun"]["requestBody"]>["content"]["application/json"]
type Run = operations["createRun"]["responses"][201]["content"]["application/json"]

export const create: Create = {
  dataset_version: "dsv_01kaf3tn0e5v2b8w6xq4rj7mcd",
  recipe: { student_model: "builtin/text-classifier", stages: [{ kind: "sft", config: { epochs: 3 } }], rewards: [] },
  budget: { max_cost_usd: 5 },
  dry_run: true
}

// @ts-expect-error a misspelt budget
export const misspelt: Create = { ...create, budget: { max_cost: 5 } }

export const spent = (run: Run): number => run.totals.cost_usd

// @ts-expect-error a status that no run has
export const isDone = (run: Run): boolean => run.status === "done"

export const codeOf = ({ error }: components["schemas"]["Error"]): string => error.code

export const limit: NonNullable<operations["listEvents"]["parameters"]["query"]>["limit"] = 20
`

const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "preserve", "--allowImportingTsExtensions"]

/** The generator's own compiler, and the repository's. */
const compilers = (): ReadonlyArray<string> => {
  const theirs = createRequire(import.meta.url).resolve("typescript/package.json")
  return [path.dirname(theirs), path.resolve(import.meta.dirname, "../../../node_modules/typescript")]
}

const compile = (compiler: string, folder: string): ReadonlyArray<string> => {
  try {
    execFileSync(process.execPath, [path.join(compiler, "bin/tsc"), ...options, "program.ts"], { cwd: folder })
    return []
  } catch (error) {
    // The compiler's complaints are what it prints.
    const { stdout } = error as { readonly stdout: Buffer }
    return [`openapi-typescript: its types do not compile: ${stdout}`]
  }
}

export const typeFaults = async (text: string): Promise<ReadonlyArray<string>> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-openapi-"))
  try {
    fs.writeFileSync(path.join(folder, "schema.ts"), astToString(await openapiTS(text)))
    fs.writeFileSync(path.join(folder, "program.ts"), program)
    return compilers().flatMap((compiler) => compile(compiler, folder))
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}
