/**
 * Decisions: students of whole distributions beside those of the most probable option, by rows of each label, with their cascade, beside
 * published figures of decision models; and the server's latency. Parts: `students`, `server`. BENCH_DECISIONS: the folder of the sets
 * (`clinc150.json`, `banking77.json`; see DecisionSets.ts). BENCH_ROUNDS: requests for a median.
 */
import * as DecisionServer from "./DecisionServer.ts"
import * as DecisionSets from "./DecisionSets.ts"
import * as DecisionTrials from "./DecisionTrials.ts"
import * as Table from "./Table.ts"

const sizes = [2, 5, 10, 20]
const targets = ["hard", "soft"] as const

/** Set, model, accuracy, Brier score, calibration error, milliseconds of a decision, US dollars of 1,000; as published. */
const published: ReadonlyArray<ReadonlyArray<string>> = [
  ["Banking77", "Jev (OpenRouter's blog)", "81.0 %", "", "", "175", "0.11"],
  ["Banking77", "Opus 5 (OpenRouter's blog)", "84.4 %", "", "", "2266", "2.42"],
  ["Banking77", "Jev (Murshid)", "81.0 %", "0.130", "", "347", "0.0675"],
  ["Banking77", "Jev (ASSAY-001)", "", "", "0.0936", "", ""],
  ["Banking77", "DistilBERT, fine-tuned (jevbench)", "88.0 %", "", "", "", ""],
  ["Banking77", "MiniLM probe, 10 rows a label (typed-decisions)", "86.9 %", "", "", "2", ""],
  ["CLINC150", "Jev (ASSAY-001)", "", "", "0.0204", "", ""]
]

const header = ["set", "model", "right", "Brier", "ECE", "ms", "$ / 1,000"]

const folder = (): string => {
  const named = process.env["BENCH_DECISIONS"]
  if (named === undefined) throw new Error("BENCH_DECISIONS names the folder of the sets")
  return named
}

const students = async (): Promise<void> => {
  const lines: Array<ReadonlyArray<string>> = []
  const beside: Array<ReadonlyArray<string>> = []
  for (const set of DecisionSets.inFolder(folder())) {
    const teacher = await DecisionTrials.teacherOf(set)
    const own = DecisionTrials.teacherFigures(set, teacher)
    lines.push([
      set.name,
      "",
      "teacher",
      Table.percent(own.accuracy),
      Table.figure(own.brier, 3),
      Table.figure(own.logLoss, 3),
      Table.figure(own.calibrationError, 3)
    ])
    for (const rowsEach of sizes) {
      for (const target of targets) {
        const trial = await DecisionTrials.of(set, teacher, { rowsEach, targets: target })
        const { accuracy, answered, brier, calibrationError, cascadeAccuracy, logLoss, millis } = trial
        const line = [
          set.name,
          Table.figure(rowsEach),
          target,
          Table.percent(accuracy),
          Table.figure(brier, 3),
          Table.figure(logLoss, 3),
          Table.figure(calibrationError, 3),
          Table.percent(answered),
          Table.percent(cascadeAccuracy)
        ]
        lines.push(line)
        // A whole set takes many minutes.
        process.stderr.write(`${line.join("  ")}\n`)
        if (target === "soft" && rowsEach === sizes.at(-1)) {
          const name = `Limbeck's student, ${rowsEach} rows a label`
          beside.push([
            set.name,
            name,
            Table.percent(accuracy),
            Table.figure(brier, 3),
            Table.figure(calibrationError, 3),
            Table.figure(millis, 2),
            "0"
          ])
        }
      }
    }
  }
  Table.print(
    "students by what they learn of each row; against the true labels of fresh rows",
    ["set", "rows a label", "targets", "right", "Brier", "log loss", "ECE", "answered", "cascade right"],
    lines
  )
  Table.print("beside published figures, of other rows of these sets", header, [...beside, ...published])
}

const server = async (): Promise<void> => {
  const { bare, decisions, idleStallMillis, many, stallMillis } = await DecisionServer.measure()
  const line = (name: string, { cpuMillis, millis }: DecisionServer.RequestFigures) => [
    name,
    Table.figure(millis, 3),
    Table.figure(cpuMillis, 3)
  ]
  Table.print(
    "a deployment over HTTP, one client in the same process",
    ["request", "p50 ms", "CPU ms each", "longest pause of the event loop, ms"],
    [
      line("bare node:http", bare),
      line("five questions with 20 options", decisions),
      [...line("400 questions with 20 options", many), Table.figure(stallMillis, 1)],
      ["none", "", "", Table.figure(idleStallMillis, 1)]
    ]
  )
}

const all = { students, server }

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  for (const [name, measure] of Object.entries(all)) {
    if (parts.length === 0 || parts.includes(name)) await measure()
  }
}
