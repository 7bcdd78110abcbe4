/** What is said in the head of an answer, whatever the answer is: filled while the request is taken in, put on at the edge. */
import * as Context from "effect/Context"

export class AnswerHeaders extends Context.Service<AnswerHeaders, Record<string, string>>()(
  "@limbeck/server/http/AnswerHeaders"
) {}
