/**
 * The time and cost of a recipe, by documented formulas and stated assumptions. With P parameters, T trained tokens per
 * epoch, E epochs, utilisation U and peak arithmetic F:
 *
 * - sft: `E·T·6P·(2/3) / (U·F)`: LoRA's frozen weights save a third of the backward pass.
 * - grpo: decoding of `steps × group` completions, then two log-probability passes and an update over every token.
 * - eval: decoding of the sample.
 * - the builtin student: each row's characters are read once, and its features learnt in every epoch for every label;
 *   scaled by this machine's speed.
 */

import { bytesPerToken } from "../dataset/RowText.ts"
import { costOf, type Prices } from "../student/Endpoint.ts"
import type { ComputeProfile } from "./ComputeProfile.ts"
import * as BuiltinEstimate from "./internal/BuiltinEstimate.ts"
import type { DataSize } from "./internal/DataSize.ts"
import { defaults, evaluatedRows, type Stage } from "./Recipe.ts"
import type { StudentBase } from "./StudentBase.ts"

export interface Estimate {
  readonly gpuSeconds: number
  readonly costMicros: number
  readonly wallClockMinutes: number
  /** Flat: every number that went in, by name. */
  readonly assumptions: Readonly<Record<string, number | string>>
}

/** Share of peak arithmetic reached in training, by size: small models leave an accelerator waiting. */
const utilisation = (parameters: number): number => {
  if (parameters < 1e9) return 0.1
  return parameters < 3e9 ? 0.2 : 0.3
}

/** Seconds to load weights and data, per run. */
const llmStartupSeconds = 60

/** Seconds between creation and first step, and between stages, for a trainer and for a thread. */
const llmQueueSeconds = 5
const builtinQueueSeconds = 1
const evalBatch = 16
const bytesPerParameter = 2

interface Speed {
  readonly parameters: number
  readonly flopsPerSecond: number
  readonly memoryBandwidth: number
}

const trainSeconds = (tokens: number, { flopsPerSecond, parameters }: Speed): number =>
  (tokens * 6 * parameters * (2 / 3)) / flopsPerSecond

const forwardSeconds = (tokens: number, { flopsPerSecond, parameters }: Speed): number =>
  (tokens * 2 * parameters) / flopsPerSecond

/** Tokens come as fast as the weights can be read, shared by a batch, and no faster than they can be computed. */
const decodeSeconds = (tokens: number, batch: number, speed: Speed): number => {
  const memoryBound = (speed.memoryBandwidth / (bytesPerParameter * speed.parameters)) * batch
  const computeBound = speed.flopsPerSecond / (2 * speed.parameters)
  return tokens / Math.min(memoryBound, computeBound)
}

const stageSeconds = (stage: Stage, data: DataSize, speed: Speed): number => {
  const rowTokens = data.promptTokens + data.completionTokens
  switch (stage.kind) {
    case "sft": {
      const { epochs, max_seq_len } = { ...defaults.sft, ...stage.config }
      return trainSeconds(epochs * data.trainRows * Math.min(rowTokens, max_seq_len), speed)
    }
    case "grpo": {
      const { group_size, max_new_tokens, steps } = { ...defaults.grpo, ...stage.config }
      const completion = Math.min(data.completionTokens, max_new_tokens)
      const decoded = steps * group_size * completion
      const passed = steps * group_size * (data.promptTokens + completion)
      return decodeSeconds(decoded, group_size, speed) + 2 * forwardSeconds(passed, speed) + trainSeconds(passed, speed)
    }
    case "eval": {
      const rows = evaluatedRows(stage.config, data.holdoutRows)
      return decodeSeconds(rows * data.completionTokens, evalBatch, speed)
    }
    case "publish":
    case "materialize":
      return 0
  }
}

/** The estimate of a student behind an endpoint: no machine time, only the price of its tokens. */
export const endpointEstimate = (
  stages: ReadonlyArray<Stage>,
  { completionTokens, holdoutRows, promptTokens }: DataSize,
  prices: Prices
): Pick<Estimate, "gpuSeconds" | "costMicros"> => {
  const asked = stages.map((stage) => (stage.kind === "eval" ? evaluatedRows(stage.config, holdoutRows) : 0))
  const rows = asked.reduce((sum, count) => sum + count, 0)
  const cost = costOf(prices, { prompt: rows * promptTokens, completion: rows * completionTokens })
  return { gpuSeconds: 0, costMicros: cost ?? 0 }
}

/** The method of counting tokens. */
const tokensFrom = ({ tokens }: DataSize): Estimate["assumptions"] =>
  tokens === undefined
    ? { tokens_from: "bytes", bytes_per_token: bytesPerToken }
    : { tokens_from: `tokenizer of ${tokens.tokenizer}`, token_counted_rows: tokens.rows }

const round = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals

export const estimate = (options: {
  readonly student: StudentBase
  readonly profile: ComputeProfile
  readonly stages: ReadonlyArray<Stage>
  readonly data: DataSize
  /** Speed of the training machine relative to the reference machine; 1 by default. */
  readonly builtinSpeed?: number | undefined
}): Estimate => {
  const { data, profile, stages, student } = options
  const common = {
    profile: profile.id,
    price_per_gpu_second: profile.microsPerGpuSecond / 1e6,
    train_rows: data.trainRows,
    holdout_rows: data.holdoutRows,
    prompt_tokens_per_row: round(data.promptTokens, 2),
    completion_tokens_per_row: round(data.completionTokens, 2),
    ...tokensFrom(data)
  }
  const finish = (seconds: number, queueSeconds: number, assumptions: Estimate["assumptions"]): Estimate => {
    const gpuSeconds = round(seconds, 3)
    return {
      gpuSeconds,
      costMicros: Math.ceil(gpuSeconds * profile.microsPerGpuSecond),
      wallClockMinutes: round((gpuSeconds + queueSeconds) / 60, 2),
      assumptions: { ...common, queue_seconds: queueSeconds, ...assumptions }
    }
  }
  const total = (seconds: (stage: Stage) => number) => stages.reduce((sum, stage) => sum + seconds(stage), 0)

  if (student.engine === "builtin" || student.parameters === null) {
    const { assumptions, seconds } = BuiltinEstimate.estimate(stages, data, options.builtinSpeed ?? 1)
    return finish(seconds, builtinQueueSeconds, assumptions)
  }
  const share = utilisation(student.parameters)
  const { memoryBandwidth, peakFlops } = profile
  const speed = { parameters: student.parameters, flopsPerSecond: share * peakFlops, memoryBandwidth }
  return finish(llmStartupSeconds + total((stage) => stageSeconds(stage, data, speed)), llmQueueSeconds, {
    startup_seconds: llmStartupSeconds,
    parameters: student.parameters,
    utilisation: share,
    peak_flops: peakFlops,
    memory_bandwidth: memoryBandwidth,
    bytes_per_parameter: bytesPerParameter,
    frozen_weights_factor: round(2 / 3, 4),
    eval_batch: evalBatch
  })
}
