/** Scripts of Python clients, in an environment that `npm run check:python-clients` makes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"

/** A Python with the clients. */
const { TEST_PYTHON_CLIENTS: python = "" } = process.env

export const withoutPython = python === ""

if (withoutPython) process.stderr.write("SKIPPED: the Python clients, which npm run check:python-clients installs\n")

/** Fails with what the script wrote. `script`: in the folder `python`. */
export const runPython = async (script: string, environment: Readonly<Record<string, string>>) => {
  const file = fileURLToPath(new URL(`../python/${script}`, import.meta.url))
  const env = { PATH: process.env["PATH"], ...environment }
  const child = spawn(python, [file], { env, stdio: ["ignore", "ignore", "pipe"] })
  const [errors, [code]] = await Promise.all([child.stderr.toArray(), once(child, "close")])
  assert.strictEqual(code, 0, errors.join(""))
}
