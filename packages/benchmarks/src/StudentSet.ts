/** The text sets of the student benchmark: made on demand by a script, in a folder outside the repository. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Row } from "@limbeck/distill/dataset/Row"

const folder = process.env["BENCH_FOLDER"] ?? join(tmpdir(), "limbeck-bench-students")
const environment = join(folder, "python")
const python = join(environment, "bin", "python")
const learn = "scikit-learn==1.9.1"

const script = (name: string): string => fileURLToPath(new URL(`students/${name}.py`, import.meta.url))
const run = async (command: string, args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, [...args], { maxBuffer: 2 ** 24 })
  return stdout
}

export interface Source {
  readonly registry: string
  readonly package: string
  readonly version: string
  readonly licence: string
  readonly asked: string
}

/** Downloads missing sources, and builds the sets. Needs Python 3.10 and pip, like the linear models. */
export const prepare = async (names: ReadonlyArray<string>): Promise<Readonly<Record<string, Source>>> => {
  await mkdir(folder, { recursive: true })
  const said = await run("python3", [script("sets"), folder, ...names])
  // The script says this in its last line.
  const sources = JSON.parse(said.trim().split("\n").at(-1) ?? "") as Readonly<Record<string, Source>>
  return Object.fromEntries(Object.entries(sources).filter(([name]) => names.length === 0 || names.includes(name)))
}

export interface Text {
  readonly split: "train" | "holdout" | "test"
  readonly text: string
  /** The label that is right. */
  readonly gold: string
  /** The label that the teacher gives: another one in 5 of 100 rows. */
  readonly teacher: string
}

const fileOf = (name: string): string => join(folder, `${name}.jsonl`)

export const read = (name: string): ReadonlyArray<Text> =>
  readFileSync(fileOf(name), "utf8")
    .trim()
    .split("\n")
    // The script wrote it.
    .map((line) => JSON.parse(line) as Text)

export interface Linear {
  readonly model: string
  /** Share of the test rows. */
  readonly right: number
  /** Processor seconds for all trials. */
  readonly seconds: number
}

/** The result of the best linear model on a file of texts. `python`: an interpreter with scikit-learn. */
export const linearOf = async (python: string, file: string): Promise<Linear> =>
  JSON.parse(await run(python, ["-W", "ignore", script("linear"), file]))

/** The result of the scikit-learn linear model with the best holdout. */
export const linear = async (name: string): Promise<Linear> => {
  if (!existsSync(python)) await run("python3", ["-m", "venv", environment])
  await run(python, ["-m", "pip", "install", "--quiet", learn])
  return linearOf(python, fileOf(name))
}

type Messages = Row["messages"]

/** How a text is asked about, and how its label is answered. */
export interface Wrapping {
  readonly name: string
  readonly ask: (text: string, labels: ReadonlyArray<string>) => Messages
  readonly answer: (label: string) => string
}

const user = (content: string): Messages => [{ role: "user", content }]
const listed = 50
/** Pads shorter lists to the same length with other labels. */
const listOf = (labels: ReadonlyArray<string>): string =>
  Array.from({ length: listed }, (_, index) => labels[index] ?? `topic ${index}`).join(", ")
const instruction = "Sort the message that comes next. Answer with its label and nothing else."

export const wrappings: ReadonlyArray<Wrapping> = [
  {
    name: "system prompt",
    ask: (text) => [{ role: "system", content: instruction }, ...user(text)],
    answer: (label) => label
  },
  {
    name: "one message",
    ask: (text) => user(`${instruction}\n\nMessage: ${text}\n\nLabel:`),
    answer: (label) => label
  },
  {
    name: "list of 50 labels",
    ask: (text, labels) => user(`Sort the message into one of: ${listOf(labels)}.\nMessage: ${text}`),
    answer: (label) => label
  },
  {
    name: "JSON",
    ask: (text) => [{ role: "system", content: `${instruction} Answer as JSON.` }, ...user(text)],
    answer: (label) => JSON.stringify({ label })
  }
]
