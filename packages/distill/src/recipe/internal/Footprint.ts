/** A student's estimated memory, in words for a person. */

import { defaults } from "../Recipe.ts"
import type { StudentBase } from "../StudentBase.ts"
import * as StudentWork from "../StudentWork.ts"
import type { DataSize } from "./DataSize.ts"

/**
 * A weight of the builtin student is a 32-bit number; during training a sum of squares of the same size accompanies it.
 */
const bytesPerBuiltinWeight = 4
/** A weight of a language model in training and serving: bf16. */
const bytesPerModelWeight = 2

const units = ["bytes", "kB", "MB", "GB", "TB"] as const

const shown = (bytes: number): string => {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1000 ** step).toPrecision(2))} ${units[step]}`
}

export const memoryNote = ({ engine, parameters }: StudentBase, data: DataSize): string => {
  if (engine === "llm") {
    const weights = shown((parameters ?? 0) * bytesPerModelWeight)
    return `Its weights take ${weights} of an accelerator's memory; training takes more, by the length of the rows.`
  }
  const { different, labels } = StudentWork.of(data, defaults.sft.max_seq_len)
  const weights = shown(different * labels * bytesPerBuiltinWeight)
  return `Its weights are estimated to take ${weights} of memory to answer, and twice that to learn.`
}
