/** `limbeck init`: asks three questions, and writes the settings of a server into `.env`. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"
import * as TokenSecret from "@limbeck/core/tokens/TokenSecret"
import * as Result from "effect/Result"
import type { Output } from "../Output.ts"
import * as Exits from "../serve/Exits.ts"
import * as Settings from "../serve/Settings.ts"

interface Question {
  readonly setting: "DATABASE_URL" | "PORT" | "EGRESS_ALLOW"
  readonly text: string
  /** The value of the setting; empty: its default. */
  readonly valueOf: (answer: string) => string
}

const questions: ReadonlyArray<Question> = [
  {
    setting: "DATABASE_URL",
    text: "URL of a Postgres (empty: a private one, in ./.data)",
    valueOf: (answer) => answer
  },
  { setting: "PORT", text: "Port to listen on (empty: 8080)", valueOf: (answer) => answer },
  {
    setting: "EGRESS_ALLOW",
    text: "May it call models and receivers on this machine, by http? y/n, or networks such as 10.0.0.0/8 (empty: n)",
    valueOf: (answer) => {
      if (/^(?:n|no)$/i.test(answer)) return ""
      return /^(?:y|yes)$/i.test(answer) ? "127.0.0.0/8" : answer
    }
  }
]

const problemOf = (setting: string, value: string): string | undefined => {
  const read = Settings.fromEnvironment({ [setting]: value }, false)
  return Result.isFailure(read) ? read.failure : undefined
}

type Answers = Readonly<Record<Question["setting"], string>>

const defaults: Answers = { DATABASE_URL: "", PORT: "", EGRESS_ALLOW: "" }

/** Undefined: the input ended. */
type Ask = (...lines: ReadonlyArray<string>) => Promise<string | undefined>

/** Repeats each question until the server would accept the answer. */
const answersOf = async (ask: Ask): Promise<Answers | undefined> => {
  const answers = { ...defaults }
  for (const { setting, text, valueOf } of questions) {
    for (let problems: ReadonlyArray<string> | undefined = []; problems !== undefined; ) {
      const answer = await ask(...problems, text)
      if (answer === undefined) return undefined
      answers[setting] = valueOf(answer.trim())
      problems = problemOf(setting, answers[setting])?.split("\n")
    }
  }
  return answers
}

const tokenOf = (livemode: boolean): string => TokenSecret.fromBytes(livemode, randomBytes(32))

/** `hasKey`: the data folder holds the key that sealed its secrets. */
const fileOf = (answers: Answers, hasKey: boolean): string => {
  const testToken = tokenOf(false)
  const line = (setting: string, value: string) => (value === "" ? `# ${setting}=` : `${setting}=${value}`)
  return [
    "# The server (docs/configuration.md). Keep this file to yourself: it opens everything.",
    ...Object.entries(answers).map(([setting, value]) => line(setting, value)),
    line("ENCRYPTION_KEY", hasKey ? "" : randomBytes(32).toString("base64")),
    `BOOTSTRAP_LIVE_TOKEN=${tokenOf(true)}`,
    `BOOTSTRAP_TEST_TOKEN=${testToken}`,
    "",
    "# The other commands of limbeck. This is the test token: it trains nothing and spends nothing; BOOTSTRAP_LIVE_TOKEN is the live one.",
    `LIMBECK_URL=http://127.0.0.1:${answers.PORT === "" ? "8080" : answers.PORT}`,
    `LIMBECK_TOKEN=${testToken}`,
    ""
  ].join("\n")
}

const isThere = (file: string) =>
  `${file} is there already: limbeck serve starts with it; without it, init makes another`

/** Returns why it cannot write. */
const write = async (file: string, answers: Answers, hasKey = false): Promise<string | undefined> => {
  try {
    await writeFile(file, fileOf(answers, hasKey), { flag: "wx", mode: 0o600 })
    return undefined
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return isThere(file)
    throw error
  }
}

/** The file of a folder's settings. */
export const fileIn = (folder: string): string => path.join(folder, ".env")

/** Writes the default answers with the port of the environment, unless another process has written the file. */
export const writeDefaults = async (folder: string, hasKey: boolean, port = ""): Promise<void> => {
  await write(fileIn(folder), { ...defaults, PORT: port }, hasKey)
}

/** Asks on the terminal, or reads a line for each answer. Returns the exit code of the process. */
export const run = async (folder: string, output: Output): Promise<number> => {
  const file = fileIn(folder)
  if (existsSync(file)) return Exits.ofWrongSetting(isThere(file))
  const lines = createInterface({ input: process.stdin })
  const iterator = lines[Symbol.asyncIterator]()
  const ask: Ask = async (...lines) => {
    lines.forEach(output.note)
    const { done, value } = await iterator.next()
    return done ? undefined : value
  }
  const answers = await answersOf(ask)
  lines.close()
  if (answers === undefined) return Exits.ofWrongSetting("The answers ended before the questions")
  const problem = await write(file, answers)
  if (problem !== undefined) return Exits.ofWrongSetting(problem)
  output.result({ file }, `${file} is written. Next: limbeck serve, and limbeck doctor`)
  return 0
}
