/**
 * `limbeck decide`: asks a deployment, or a model, questions about each row of a CSV file, and writes the rows with the answers
 * beside them. No vendor of decision models has a batch.
 */
import { createHash, randomBytes } from "node:crypto"
import { createReadStream, createWriteStream, existsSync } from "node:fs"
import { rename } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Client } from "@limbeck/client"
import type { Output } from "../Output.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Terminal from "../terminal/Terminal.ts"
import { CommandError } from "./CommandError.ts"
import * as Connection from "./Connection.ts"
import * as Asking from "./decide/Asking.ts"
import * as CommandJournal from "./decide/CommandJournal.ts"
import { DecideLimits } from "./decide/Limits.ts"
import * as Questions from "./decide/Questions.ts"
import * as Spending from "./decide/Spending.ts"
import * as Table from "./decide/Table.ts"
import { type InputFile, withInput } from "./InputFile.ts"
import { type Command, stopSignal } from "./Remote.ts"

export interface DecideOptions {
  /** A path; `-` for standard input. */
  readonly file: string
  readonly questions: string
  readonly model: string
  /** The column that is the evidence; by default the only one, or all as an object. */
  readonly column?: string | undefined
  readonly output?: string | undefined
  readonly maxCostUsd?: number | undefined
}

/** A file whose rows are asked about, and where the answers go. */
interface Job {
  readonly table: Table.Table
  readonly questions: Questions.Questions
  readonly model: string
  readonly journal: CommandJournal.CommandJournal
  readonly spending: Spending.Spending | null
  readonly asking: Asking.Asking
  readonly stop: AbortSignal
}

const outputOf = ({ file, output }: DecideOptions): string => {
  if (output !== undefined) return output
  if (file === "-" || file.startsWith("/dev/") || file.startsWith("/proc/")) {
    throw new CommandError("--output: rows of standard input need the name of a file")
  }
  return `${file.replace(/\.csv$/iu, "")}.decided.csv`
}

const digestOf = async (file: string, parts: ReadonlyArray<string>): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.update(JSON.stringify(parts)).digest("hex")
}

const externalIdOf = ({ journal }: Job, row: number): string => `decide_${journal.id}_${row}`

/** Looks up the cost of a call only under a cost limit, because each look-up takes a request. */
const costOf = async ({ asking, spending }: Job, { call, servedBy }: Asking.RowAnswer): Promise<number | null> => {
  if (spending === null) return null
  if (servedBy === "student") return 0
  const cost = call === null ? null : await asking.costOf(call)
  if (cost !== null) return cost
  throw new CommandError(
    "--max-cost-usd: nobody knows what this model costs, or its calls are not captured. Name its price in its source, or ask without a most"
  )
}

/** Returns the problem of a row without an answer. */
const askRow = async (job: Job, row: Table.TableRow): Promise<string | undefined> => {
  const { asking, journal, model, questions, spending, table } = job
  const externalId = externalIdOf(job, row.number)
  spending?.begin()
  let costUsd: number | null = 0
  try {
    const earlier = journal.asked.has(row.number) ? await asking.earlier(externalId) : undefined
    if (earlier === undefined) journal.ask(row.number)
    const found = earlier ?? (await asking.ask(questions.bodyOf(model, table.evidenceOf(row)), externalId))
    if (Asking.isFailure(found)) return `row ${row.number}: ${found.problem}`
    if (questions.cellsOf(found.answers) === undefined) return `row ${row.number}: the answers are of other questions`
    costUsd = await costOf(job, found)
    journal.answer({ row: row.number, answers: found.answers, servedBy: found.servedBy, costUsd })
    return undefined
  } finally {
    spending?.end(costUsd ?? 0)
  }
}

interface Ending {
  readonly problems: ReadonlyArray<string>
  readonly isOverCost: boolean
}

const showProgress = ({ journal, spending, table }: Job, failed: number, isLast: boolean) => {
  const cost = spending === null ? "" : `, $${spending.spentUsd().toFixed(6)}`
  Terminal.progress(`${journal.answered.size} of ${table.rows} rows, ${failed} failed${cost}`, isLast)
}

/** Asks about all rows that have no answer yet, some at once. After a refusal that all rows would get no more are begun. */
const askAll = async (job: Job): Promise<Ending> => {
  const { journal, spending, stop, table } = job
  const open = new Set<Promise<void>>()
  const problems: Array<string> = []
  let refusal: unknown
  let isOverCost = false
  const begin = (row: Table.TableRow) => {
    const asked: Promise<void> = askRow(job, row)
      .then((problem) => void (problem === undefined || problems.push(problem)))
      .catch((error: unknown) => {
        refusal ??= error
      })
      .finally(() => {
        open.delete(asked)
        showProgress(job, problems.length, false)
      })
    open.add(asked)
  }
  const mayBegin = async (): Promise<boolean> => {
    for (;;) {
      if (stop.aborted || refusal !== undefined) return false
      const next = spending?.next() ?? "go"
      if (next === "over") isOverCost = true
      if (next === "over") return false
      if (next === "go" && open.size < DecideLimits.requestsAtOnce) return true
      await Promise.race(open)
    }
  }
  for await (const row of table.read()) {
    if (journal.answered.has(row.number)) continue
    if (!(await mayBegin())) break
    begin(row)
  }
  await Promise.all(open)
  showProgress(job, problems.length, true)
  if (refusal !== undefined) throw refusal
  return { problems, isOverCost }
}

async function* linesOf({ journal, questions, table }: Job) {
  yield Table.lineOf([
    ...table.header,
    ...questions.names.flatMap((name) => [name, `${name}.probability`]),
    "served_by"
  ])
  for await (const { fields, number } of table.read()) {
    const answered = journal.answered.get(number)
    const cells = questions.cellsOf(answered?.answers) ?? questions.names.map(() => ({ answer: "", probability: "" }))
    const own = cells.flatMap(({ answer, probability }) => [answer, probability])
    yield Table.lineOf([...fields, ...own, answered?.servedBy ?? ""])
  }
}

/** Under another name first: a file that is there is whole. */
const writeAll = async (job: Job, file: string): Promise<void> => {
  const draft = `${file}.draft`
  await pipeline(Readable.from(linesOf(job)), createWriteStream(draft, { mode: 0o600 }))
  await rename(draft, file)
}

const spendingOf = (
  maxUsd: number | undefined,
  { answered }: CommandJournal.CommandJournal
): Spending.Spending | null => {
  if (maxUsd === undefined) return null
  const costs = [...answered.values()].flatMap(({ costUsd }) => costUsd || [])
  const spent = costs.reduce((sum, cost) => sum + cost, 0)
  return Spending.make(maxUsd, spent, costs.length === 0 ? null : Math.max(...costs))
}

const conclude = (output: Output, job: Job, file: string, { isOverCost, problems }: Ending): number => {
  const { journal, spending, stop, table } = job
  const answered = journal.answered.size
  const isWhole = answered === table.rows
  const summary = {
    rows: table.rows,
    answered,
    failed: problems.length,
    cost_usd: spending === null ? null : spending.spentUsd(),
    output: isWhole ? file : null,
    stopped: stop.aborted ? "signal" : isOverCost ? "max_cost" : null
  }
  const reason = isOverCost ? ": the next request could pass --max-cost-usd" : ""
  const rest = isWhole ? `${file} has all answers` : `the same command goes on with the rest${reason}`
  output.result(summary, ...problems.slice(0, 20), `${answered} of ${table.rows} rows are answered; ${rest}`)
  return isWhole ? 0 : 1
}

const decideInput = async (
  client: Client,
  connection: Connection.Connection,
  output: Output,
  { name, path }: InputFile,
  options: DecideOptions
): Promise<number> => {
  const file = outputOf(options)
  if (existsSync(file)) throw new CommandError(`${file} is there already: remove it, or name another --output`)
  const questions = await Questions.read(options.questions)
  const table = await Table.open(path, name, options.column)
  const madeOf = await digestOf(path, [options.model, options.column ?? "", JSON.stringify(questions.member)])
  const journal = CommandJournal.open(`${file}.journal`, { id: randomBytes(8).toString("hex"), madeOf })
  try {
    const spending = spendingOf(options.maxCostUsd, journal)
    const asking = Asking.make(client, connection)
    const job: Job = { table, questions, model: options.model, journal, spending, asking, stop: stopSignal() }
    if (journal.answered.size > 0) output.note(`${journal.answered.size} of ${table.rows} rows were answered before`)
    const ending = await askAll(job)
    if (journal.answered.size === table.rows) {
      await writeAll(job, file)
      journal.remove()
    }
    return conclude(output, job, file, ending)
  } finally {
    journal.close()
  }
}

export const decide =
  (environment: Environment, options: DecideOptions): Command =>
  (client, output) =>
    withInput(options.file, (input) => decideInput(client, Connection.of(environment), output, input, options))
