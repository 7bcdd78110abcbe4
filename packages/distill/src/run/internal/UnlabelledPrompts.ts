/**
 * The prompts of the workspace's captured calls, whoever answered them and however: texts from which a student may learn words
 * without learning answers. Calls from before the run, newest first, so that every attempt of a run reads the same.
 */
import { type CallScan, CallStore, type ScannedCall } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Row } from "../../dataset/Row.ts"
import type { Message } from "../../dataset/RowText.ts"
import { DistillLimits } from "../../Limits.ts"
import type { Run } from "../Run.ts"

const decodeMessages = Schema.decodeUnknownOption(Row.fields.messages)
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** The minimum cost of a call, in characters. */
const callCost = 200
const shapeMax: JsonShape.ShapeMax = { depth: CaptureLimits.shownDepthMax, members: CaptureLimits.learntMembersMax }

/** Undefined for a call without a prompt of messages. */
function* reading(call: ScannedCall): Turns.Steps<ReadonlyArray<Message> | undefined> {
  yield callCost
  const { endpoint, request, requestIsJson, truncated } = call
  if (truncated || !requestIsJson || !CallConversation.isConversation(endpoint)) return undefined
  if ((yield* JsonShape.excessSteps(request, shapeMax)) !== undefined) return undefined
  const body = parse(request)
  yield request.length
  const prompt = Option.map(body, (json) => CallConversation.promptOf(endpoint, json))
  return Option.getOrUndefined(Option.flatMap(prompt, decodeMessages))
}

const scanOf = (run: Run): CallScan => ({
  endpoints: CallConversation.endpoints,
  verifies: false,
  createdAfter: null,
  createdBefore: run.createdAt,
  feedbackMin: null
})

/** Makes a stream of bounded length and size. */
export const make = Effect.map(
  CallStore,
  (calls) =>
    (partition: Partition, run: Run): Stream.Stream<ReadonlyArray<Message>, StorageError> =>
      Stream.suspend(() => {
        let characters = 0
        return calls.scan(partition, scanOf(run)).pipe(
          Stream.take(DistillLimits.unlabelledCallsMax),
          Stream.takeWhile(({ request, response }) => {
            characters += request.length + (response?.length ?? 0)
            return characters <= DistillLimits.unlabelledCharactersMax
          }),
          Stream.mapArrayEffect((scanned) => Turns.forEach(scanned, (call) => reading(call))),
          Stream.filter((prompt) => prompt !== undefined)
        )
      })
)
