/** The file `.env` in the working folder. The environment takes precedence. */
import { readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import type { Environment } from "./serve/Environment.ts"

/** An empty value counts as none. */
const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

const read = (): Environment => {
  try {
    return parseEnv(readFileSync(".env", "utf8"))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {}
    throw error
  }
}

let file: Environment = {}
const taken = new Set<string>()

/** Adds to the environment of this process what the file sets and the environment does not. */
export const load = (): void => {
  file = read()
  for (const [name, value] of Object.entries(file)) {
    if (process.env[name] !== undefined) continue
    process.env[name] = value
    taken.add(name)
  }
}

/** The source of a variable's value; null where the variable is not set. */
export const sourceOf = (environment: Environment, name: string): "file" | "environment" | null => {
  if (!isSet(environment[name])) return null
  return taken.has(name) ? "file" : "environment"
}

/** Whether the file holds this text as a value of its own, whatever its name is. */
export const holds = (text: string): boolean => Object.values(file).includes(text)
