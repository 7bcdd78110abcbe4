/** Commands that take the way of the loop, on a running server: rows, versions, runs, deployments. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Decide from "../remote/Decide.ts"
import * as Deploy from "../remote/Deploy.ts"
import * as Import from "../remote/Import.ts"
import * as Race from "../remote/Race.ts"
import * as Retrain from "../remote/Retrain.ts"
import * as Runs from "../remote/Runs.ts"
import * as Students from "../remote/Students.ts"
import * as Upload from "../remote/Upload.ts"
import * as Watch from "../remote/Watch.ts"
import { asking, listOf } from "./Command.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("JSON Lines of rows, plain or gzip; - is standard input")
)
const resume = Flag.String("resume").pipe(
  Flag.withDescription("The id of an upload that was cut off: sends the rest of the file"),
  Flag.optional
)
const dataset = Flag.String("dataset").pipe(
  Flag.withDescription("Make a dataset of this name, and its first version of the rows"),
  Flag.optional
)

export const upload = Command.make("upload", { file, resume, dataset }, ({ dataset, file, resume }) =>
  asking(Upload.upload({ file, resume: Option.getOrUndefined(resume), dataset: Option.getOrUndefined(dataset) }))
).pipe(Command.withDescription("Send a file of rows"))

const log = Argument.String("file").pipe(
  Argument.withDescription(
    "Stored completions or conversations as JSON or JSON Lines, or CSV with the columns prompt and completion; - is standard input"
  )
)
const format = Flag.Literals("format", ["json", "csv"]).pipe(
  Flag.withDescription("By the name of the file by default"),
  Flag.optional
)

const importing = { file: log, format, resume, dataset }

export const importLog = Command.make("import", importing, ({ dataset, file, format, resume }) =>
  asking(
    Import.importLog({
      file,
      format: Option.getOrUndefined(format),
      resume: Option.getOrUndefined(resume),
      dataset: Option.getOrUndefined(dataset)
    })
  )
).pipe(Command.withDescription("Make rows of a log of chats, and send them"))

const plan = {
  version: Argument.String("version").pipe(Argument.withDescription("The id of the dataset version: dsv_…")),
  objective: Flag.Literals("objective", ["cost", "quality", "latency"]).pipe(
    Flag.withDescription("What the proposal is to be good at; cost by default"),
    Flag.withDefault("cost" as const)
  ),
  maxCostUsd: Flag.Finite("max-cost").pipe(Flag.withDescription("US dollars that a live run may spend at most"))
}

export const propose = Command.make("propose", plan, (plan) => asking(Runs.propose(plan))).pipe(
  Command.withDescription("Propose a recipe for a dataset version, with an estimate")
)

const running = {
  ...plan,
  name: Flag.String("name").pipe(Flag.withDescription("What the run and its student are called"), Flag.optional),
  isLive: Flag.Boolean("live").pipe(
    Flag.withDescription("Follow the rehearsal by a live run, which spends money; needs a live token"),
    Flag.withDefault(false)
  )
}

export const run = Command.make("run", running, ({ name, ...options }) =>
  asking(Runs.run({ ...options, name: Option.getOrUndefined(name) }))
).pipe(Command.withDescription("Rehearse what is proposed for a dataset version, and show its stages"))

const racing = {
  version: plan.version,
  candidates: Flag.String("candidates").pipe(
    Flag.withDescription("At most 8, each source/model, with commas between them")
  ),
  maxCostUsd: Flag.Finite("max-cost").pipe(Flag.withDescription("US dollars that their calls may cost at most"))
}

export const race = Command.make("race", racing, ({ candidates, ...options }) =>
  asking(Race.race({ ...options, candidates: listOf(candidates) }))
).pipe(
  Command.withDescription("Ask hosted models about the holdout of a version; with a test token their cost is estimated")
)

const watched = Argument.String("run").pipe(Argument.withDescription("The id of the run: run_…"))

export const watch = Command.make("watch", { run: watched }, ({ run }) => asking(Watch.watch(run))).pipe(
  Command.withDescription("Follow a run until it ends")
)

const deploying = {
  student: Argument.String("student").pipe(Argument.withDescription("The id of the student model: stu_…")),
  alias: Flag.String("alias").pipe(Flag.withDescription("Calls ask for it as svc:<alias>")),
  mode: Flag.Literals("mode", ["active", "shadow"]).pipe(
    Flag.withDescription("Whether the student answers, or gets a copy of calls; shadow by default"),
    Flag.withDefault("shadow" as const)
  ),
  fallback: Flag.String("fallback").pipe(
    Flag.withDescription("Who answers where the student does not: a source and a model, such as openai/gpt-4.1"),
    Flag.optional
  ),
  belowConfidence: Flag.Finite("below-confidence").pipe(
    Flag.withDescription("The fallback answers where the student is less sure than this, from 0 to 1"),
    Flag.optional
  ),
  fields: Flag.Literals("fields", ["whole", "closed_only"]).pipe(
    Flag.withDescription(
      "Whether the student gives whole answers, or the closed fields of JSON answers; whole by default"
    ),
    Flag.withDefault("whole" as const)
  )
}

export const deploy = Command.make("deploy", deploying, ({ belowConfidence, fallback, ...options }) =>
  asking(
    Deploy.deploy({
      ...options,
      fallback: Option.getOrUndefined(fallback),
      belowConfidence: Option.getOrUndefined(belowConfidence)
    })
  )
).pipe(Command.withDescription("Put a student behind an alias"))

const deciding = {
  file: Argument.String("file").pipe(
    Argument.withDescription("CSV with a header: one request for each row; - is standard input")
  ),
  questions: Flag.String("questions").pipe(
    Flag.withDescription("A JSON file of questions: a list as /v1/decisions takes it, or a map as /v1/systemone does")
  ),
  model: Flag.String("model").pipe(Flag.withDescription("Who is asked: svc:<alias>, or a model of the default source")),
  column: Flag.String("column").pipe(
    Flag.withDescription("The column that is the evidence; by default the only one, or all as an object"),
    Flag.optional
  ),
  output: Flag.String("output").pipe(
    Flag.withDescription("The CSV file of rows and answers; FILE.decided.csv by default. Its journal stands beside it"),
    Flag.optional
  ),
  maxCostUsd: Flag.Finite("max-cost-usd").pipe(
    Flag.withDescription("US dollars that the requests may cost at most, those before a resumption included"),
    Flag.optional
  )
}

export const decide = Command.make("decide", deciding, ({ column, maxCostUsd, output, ...options }) =>
  asking(
    Decide.decide(process.env, {
      ...options,
      column: Option.getOrUndefined(column),
      output: Option.getOrUndefined(output),
      maxCostUsd: Option.getOrUndefined(maxCostUsd)
    })
  )
).pipe(Command.withDescription("Ask questions about each row of a file; the same command goes on after a stop"))

const retraining = {
  alias: Argument.String("alias").pipe(Argument.withDescription("The alias of a deployment, without svc:")),
  maxCostUsd: Flag.Finite("max-cost").pipe(
    Flag.withDescription("US dollars that the run may spend at most; by default what the student's own run might"),
    Flag.optional
  ),
  isLive: Flag.Boolean("live").pipe(
    Flag.withDescription("Train, which spends money, and put the student into the shadow; needs a live token"),
    Flag.withDefault(false)
  )
}

export const retrain = Command.make("retrain", retraining, ({ maxCostUsd, ...options }) =>
  asking(Retrain.retrain({ ...options, maxCostUsd: Option.getOrUndefined(maxCostUsd) }))
).pipe(Command.withDescription("Say what training a deployment's student again would read and spend, and rehearse it"))

const registering = {
  name: Argument.String("name").pipe(Argument.withDescription("What people call it")),
  baseModel: Flag.String("base-model").pipe(Flag.withDescription("What it was trained from")),
  file: Flag.String("file").pipe(
    Flag.withDescription(
      "The model, which this server is to serve: a GGUF file, or a tar of its files, gzipped or not"
    ),
    Flag.optional
  ),
  resume,
  baseUrl: Flag.String("base-url").pipe(Flag.withDescription("Or where it answers, with /v1"), Flag.optional),
  model: Flag.String("model").pipe(Flag.withDescription("The model that it is there"), Flag.optional),
  keyFrom: Flag.String("key-from").pipe(
    Flag.withDescription("The variable of the environment that holds the key of that place"),
    Flag.optional
  ),
  run: Flag.String("run").pipe(Flag.withDescription("The run on whose data it was trained: run_…"), Flag.optional)
}

const register = Command.make("register", registering, ({ baseModel, name, ...options }) => {
  const given = Object.fromEntries(
    Object.entries(options).map(([key, value]) => [key, Option.getOrUndefined(value)] as const)
  )
  return asking(Students.register(process.env, { name, baseModel, ...given }))
}).pipe(Command.withDescription("Register a student that was trained elsewhere: upload it, or say where it answers"))

const listStudents = Command.make("list", {}, () => asking(Students.list)).pipe(
  Command.withDescription("Show id, origin, base, name and accuracy of each")
)

export const student = Command.make("student").pipe(
  Command.withDescription("Students, those of runs and those that were trained elsewhere"),
  Command.withSubcommands([register, listStudents])
)
