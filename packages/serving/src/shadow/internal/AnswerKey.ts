/** What answers are counted by: the same number for messages that say the same, as good as always another one for others. */
import { placeOf } from "@limbeck/capture/tape/EvenPlace"
import { textOf } from "@limbeck/distill/dataset/RowText"
import { callsOf } from "@limbeck/distill/reward/Completion"
import type { ChatMessage } from "../../student/internal/Student.ts"

/** From 0 up to 2^32. */
export const of = (message: ChatMessage): number => placeOf(`${textOf(message)}\n${callsOf(message)}`) * 2 ** 32
