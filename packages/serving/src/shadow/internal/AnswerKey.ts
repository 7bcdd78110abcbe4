/** A number for counting answers: equal for equal messages, and almost always different for others. */
import { placeOf } from "@limbeck/capture/tape/EvenPlace"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import { textOf } from "@limbeck/distill/dataset/RowText"
import { callsOf } from "@limbeck/distill/reward/Completion"
import type { ChatMessage } from "../../student/internal/Student.ts"

/** From 0 up to 2^32. `isLabel`: writings of one label are one answer. */
export const of = (message: ChatMessage, isLabel: boolean): number => {
  const text = textOf(message)
  return placeOf(`${isLabel ? LabelRules.formOf(text) : text}\n${callsOf(message)}`) * 2 ** 32
}
