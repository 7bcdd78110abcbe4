/** Reads the confidence of a whole answer of a student's endpoint, and takes out what the client did not ask for. Pure. */
import * as AnswerConfidence from "@limbeck/capture/source/AnswerConfidence"
import type { ToldConfidence } from "@limbeck/distill/report/Evaluation"
import * as ConfidenceMap from "@limbeck/distill/report/statistics/ConfidenceMap"

export interface MeasuredAnswer {
  /** 0 to 1, calibrated by the student's evaluation; null where the answer tells none. */
  readonly confidence: number | null
  readonly bytes: Uint8Array
}

export interface ConfidenceReading {
  readonly isEventStream: boolean
  /** Whether the client asked for `logprobs` itself, so that they stay. */
  readonly keepsLogprobs: boolean
  /** Null: the confidence counts as it is told. */
  readonly told: ToldConfidence | null
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const field = /^data: ?/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A confidence of another kind than the evaluation's has another meaning. */
const calibrate = (found: AnswerConfidence.AnswerConfidence | null, told: ToldConfidence | null): number | null => {
  if (found === null || (told?.from ?? found.from) !== found.from) return null
  return told === null ? found.value : ConfidenceMap.apply(told, found.value)
}

/** A line of an event stream, without the probabilities of its tokens. */
const strippedLine = (line: string): string => {
  const [prefix] = field.exec(line) ?? []
  const chunk = prefix === undefined ? undefined : parsed(line.slice(prefix.length))
  return chunk === undefined ? line : prefix + JSON.stringify(AnswerConfidence.stripLogprobs(chunk))
}

const measuredStream = (text: string, { keepsLogprobs, told }: ConfidenceReading) => {
  const lines = text.split("\n")
  const chunks = lines.flatMap((line) => (field.test(line) ? [parsed(line.replace(field, ""))] : []))
  const bytes = keepsLogprobs ? null : encoder.encode(lines.map(strippedLine).join("\n"))
  return { confidence: calibrate(AnswerConfidence.of(chunks), told), bytes }
}

const measuredWhole = (text: string, { keepsLogprobs, told }: ConfidenceReading) => {
  const answer = parsed(text)
  const bytes =
    keepsLogprobs || answer === undefined
      ? null
      : encoder.encode(JSON.stringify(AnswerConfidence.stripLogprobs(answer)))
  return { confidence: calibrate(AnswerConfidence.of([answer]), told), bytes }
}

/** `bytes`: of a chat completion, or of its stream, uncompressed. */
export const of = (bytes: Uint8Array, reading: ConfidenceReading): MeasuredAnswer => {
  const text = decoder.decode(bytes)
  const measured = reading.isEventStream ? measuredStream(text, reading) : measuredWhole(text, reading)
  return { confidence: measured.confidence, bytes: measured.bytes ?? bytes }
}
