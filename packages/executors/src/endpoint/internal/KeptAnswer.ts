/** The answer of an external student, as the journal of its evaluation keeps it. */
import { Message } from "@limbeck/distill/dataset/Row"
import * as Schema from "effect/Schema"

export const KeptAnswer = Schema.Struct({
  /** Of its row. */
  key: Schema.String,
  completion: Message,
  latencyMillis: Schema.Finite,
  confidence: Schema.NullOr(Schema.Finite),
  /** Absent without a confidence, and in answers of before it was kept. */
  confidenceFrom: Schema.optionalKey(Schema.Literals(["service", "tokens"])),
  /** Null where the student has no price. */
  costMicros: Schema.NullOr(Schema.Finite)
})
export type KeptAnswer = typeof KeptAnswer.Type
