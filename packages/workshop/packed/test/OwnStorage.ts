/** A storage outside the repository: examples/own-storage with only its declared dependencies of ours. */
import * as fs from "node:fs"
import * as path from "node:path"
import { failureOf, installed, linkOthers, type Pack, root, unpack } from "../Release.ts"

export const promise = "a storage adapter outside of the repository has types, and passes all contract suites (P387)"

const example = "examples/own-storage"
const copied = ["package.json", "src", "test/contracts.test.ts"]

const strict = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"]
const types = [...strict, "--allowImportingTsExtensions", "--skipLibCheck", "src/main.ts", "test/contracts.test.ts"]

/** `packed`: where the packs lie. */
export const faults = (folder: string, packed: string, packs: ReadonlyArray<Pack>): ReadonlyArray<string> => {
  for (const pack of installed(packs, `${example}/package.json`)) unpack(packed, pack, folder)
  linkOthers(folder)
  for (const file of copied) fs.cpSync(path.join(root, example, file), path.join(folder, file), { recursive: true })
  const suites = ["run", "--root", folder, "--testTimeout", "600000"]
  return [...failureOf(folder, "tsc", types), ...failureOf(folder, "vitest", suites)]
}
