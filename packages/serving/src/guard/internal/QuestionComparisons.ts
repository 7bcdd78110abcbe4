/** How a shadow result tells the comparisons of a call for decisions, question by question. */
import * as DecisionFigures from "@limbeck/distill/report/statistics/DecisionFigures"
import * as Distribution from "@limbeck/distill/report/statistics/Distribution"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { QuestionComparison } from "../QuestionGuardRules.ts"

const Message = Schema.Struct({
  decisions: Schema.Array(
    Schema.Struct({
      question: Schema.String,
      /** In the request; absent in results of verifications. */
      name: Schema.optionalKey(Schema.NullOr(Schema.String)),
      agrees: Schema.Boolean,
      difference: Schema.Finite
    })
  )
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

/** Of the student's answer and the upstream's, in the order of the question's options; null where one of them has none. */
export const compare = (
  question: string,
  student: ReadonlyArray<number> | null,
  upstream: ReadonlyArray<number> | null
): QuestionComparison | null => {
  const normal = upstream && Distribution.normalize(upstream)
  if (student === null || normal === null || normal.length !== student.length) return null
  return {
    question,
    agrees: DecisionFigures.agrees({ student, teacher: normal }),
    difference: DecisionFigures.differenceOf(student, normal)
  }
}

/** The `message` of the result. */
export const write = (decisions: typeof Message.Type.decisions): string =>
  JSON.stringify({ decisions } satisfies typeof Message.Type)

/** Empty for a result of another call. */
export const read = (message: string | null): ReadonlyArray<QuestionComparison> =>
  message === null ? [] : Option.match(decode(message), { onNone: () => [], onSome: ({ decisions }) => decisions })
