/** Applies reviewer verdicts on a prompt to a row. Pure. */
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { Row } from "../dataset/Row.ts"
import { exampleOf, type Message } from "../dataset/RowText.ts"
import { givesTheSameLabel, saysTheSame } from "../reward/Completion.ts"

export interface RowReview {
  /** The right answer; undefined if only wrong answers are known. */
  readonly right: Message | undefined
  readonly wrong: ReadonlyArray<Message>
}

export const none: RowReview = { right: undefined, wrong: [] }

const rightFrom = 0.5

/** Adds an older feedback to newer ones: the newest stands. `answer`: the judged or the right answer. */
export const withOlder = (review: RowReview, { name, value }: Feedback, answer: Message): RowReview => {
  if (name === "correct" && value < rightFrom) return { ...review, wrong: [...review.wrong, answer] }
  const isKnownWrong = review.wrong.some((wrong) => saysTheSame(wrong, answer))
  return isKnownWrong || review.right !== undefined ? review : { ...review, right: answer }
}

/** Whether two answers are equal, in their words or as labels. */
export const isSame = (one: Message, other: Message): boolean =>
  saysTheSame(one, other) || givesTheSameLabel(one, other)

/** The row with another answer, in the row's own form. */
const replaceAnswer = (row: Row, answer: Message): Row => {
  if (row.completion === undefined) return { ...row, messages: [row.messages[0], ...row.messages.slice(1, -1), answer] }
  const text = answer["content"]
  if (typeof row.completion === "string" && typeof text === "string") return { ...row, completion: text }
  return { ...row, completion: { ...answer, role: "assistant" } }
}

/** The row with the right answer; null for a wrong answer without a known correction. */
export const applyReview = (row: Row, { right, wrong }: RowReview): Row | null => {
  const own = exampleOf(row).completion
  if (right !== undefined) return isSame(right, own) ? row : replaceAnswer(row, right)
  return wrong.some((one) => isSame(one, own)) ? null : row
}
