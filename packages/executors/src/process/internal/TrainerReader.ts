/** Turns the lines of a job into the run's progress, keeps the resume state for a new trainer, and bounds the log. */
import {
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageFailure
} from "@limbeck/distill/run/Executor"
import type { LogLine } from "@limbeck/distill/run/RunRecords"
import { lineSanitizer } from "@limbeck/distill/run/Sanitizer"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { ProcessLimits } from "./Limits.ts"
import type { Line } from "./Lines.ts"
import * as Protocol from "./Protocol.ts"
import type { Holdout } from "./Rows.ts"

export type TrainerEnd = Protocol.Result | Protocol.Failure

interface TrainerMessages {
  readonly progress: ReadonlyArray<ProgressType>
  readonly ending: TrainerEnd | null
}

export interface TrainerReader {
  /** Reads a line of stdout. `isKnown`: the run has recorded the line; an attempt still reads all answers. */
  readonly readLine: (line: Line, isKnown: boolean) => Effect.Effect<TrainerMessages, StageFailure>
  /** Reads a line of stderr. */
  readonly readText: (line: Line) => ReadonlyArray<ProgressType>
  /** The state of the last checkpoint. */
  readonly state: () => Schema.Json | null
  /** Judge tokens by the trainer's own count. */
  readonly judgeTokens: () => number
  /** Holdout rows without an answer. */
  readonly unansweredRows: () => number
}

const nothing: TrainerMessages = { progress: [], ending: null }
const emitting = (...progress: ReadonlyArray<ProgressType>): TrainerMessages => ({ progress, ending: null })

/** Keeps only the text after the last carriage return, as a terminal shows it. */
const lastLineOf = (text: string): string => {
  const last = text.trimEnd().split("\r").at(-1) ?? ""
  return last.length > ProcessLimits.logCharactersMax
    ? `${last.slice(0, ProcessLimits.logCharactersMax).toWellFormed()} …`
    : last
}

/** Lines in, log messages out; more than a bound are passed over. */
const logger = () => {
  let left: number = ProcessLimits.logLinesMax
  return (level: LogLine["level"], text: string): ReadonlyArray<ProgressType> => {
    if (left < 0 || text.trim() === "") return []
    const isLast = left-- === 0
    return isLast
      ? [Progress.Log({ level: "warn", message: "The trainer printed too much: what follows is not kept" })]
      : [Progress.Log({ level, message: lastLineOf(text) })]
  }
}

const cutMark = (line: Line): string => (line.isCut ? " … (a line too long to be kept whole)" : "")

export const make = (
  { stage }: Pick<StageContext, "stage">,
  options: { readonly holdout: Holdout | null; readonly state: Schema.Json | null }
): TrainerReader => {
  const { holdout } = options
  const log = logger()
  const clean = { stdout: lineSanitizer(), stderr: lineSanitizer() }
  const steps = new Map<string, number>()
  const answered = new Set<string>()
  let wrong = 0
  let state = options.state
  let judgeTokens = 0

  const warn = (message: string): TrainerMessages => ({ progress: log("warn", message), ending: null })

  const complain = (text: string): TrainerMessages => {
    wrong++
    if (wrong > ProcessLimits.wrongMax) return nothing
    const isLast = wrong === ProcessLimits.wrongMax
    return warn(isLast ? "More lines that are not of the protocol are not shown" : text)
  }

  const metric = ({ name, step, unit = "", value }: typeof Protocol.Metric.Type): TrainerMessages => {
    const before = steps.get(name)
    if (before === undefined && steps.size >= ProcessLimits.metricNamesMax)
      return complain("There are too many metrics")
    const at = step ?? (before ?? 0) + 1
    steps.set(name, at)
    return emitting(Progress.Metric({ name, unit, step: at, value: value ?? Number.NaN }))
  }

  const checkpoint = (next: Schema.Json): TrainerMessages => {
    if (JSON.stringify(next).length > ProcessLimits.stateCharactersMax) {
      return warn(`A checkpoint whose state has more than ${ProcessLimits.stateCharactersMax} characters is not kept`)
    }
    state = next
    return nothing
  }

  const answer = Effect.fnUntraced(function* (given: Protocol.Answer) {
    if (holdout === null) return complain(`The ${stage.kind} stage takes no answers`)
    if (answered.has(given.row)) return complain("A row was answered twice: the first answer counts")
    const row = yield* holdout.find(given.row)
    if (row === null) return complain("An answer names a row that was not asked")
    answered.add(given.row)
    const { completion, confidence = null, latency_ms } = given
    return emitting(Progress.Answer({ row, completion, latencyMillis: latency_ms, confidence }))
  })

  const take = (message: Protocol.Message): TrainerMessages => {
    switch (message.type) {
      case "metric":
        return metric(message)
      case "log":
        return { progress: log(message.level ?? "info", clean.stdout(message.message)), ending: null }
      case "spend":
        judgeTokens = Math.max(judgeTokens, message.judge_tokens)
        return nothing
      case "checkpoint":
        return checkpoint(message.state)
      case "result":
      case "failure":
        return { progress: [], ending: message }
      case "answer":
        return nothing
    }
  }

  return {
    readLine: (line, isKnown) => {
      const message = Protocol.read(line.text)
      if (message.type === "answer") return isKnown && holdout === null ? Effect.succeed(nothing) : answer(message)
      if (message.type === "spend") return Effect.succeed(take(message))
      if (isKnown) return Effect.succeed(nothing)
      if (message.type === "wrong") return Effect.succeed(complain(message.text + cutMark(line)))
      if (message.type !== "text") return Effect.succeed(take(message))
      return Effect.succeed({ progress: log("info", clean.stdout(message.text) + cutMark(line)), ending: null })
    },
    readText: (line) => log("info", clean.stderr(line.text) + cutMark(line)),
    state: () => state,
    judgeTokens: () => judgeTokens,
    unansweredRows: () => (holdout === null ? 0 : holdout.size - answered.size)
  }
}
