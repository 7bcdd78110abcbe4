/** Captured calls, and feedback on them (contract 4, 6, 14.11, 14.26). */
import {
  CallResource as CapturedCall,
  CallDetailResource as CapturedCallDetail,
  FeedbackResource as Feedback,
  SearchText,
  ShadowResultResource as ShadowResult
} from "@limbeck/capture/call/CallResource"
import { Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { asCreated, Flag, idOf, listOf, listQuery, Reference, referenceTo } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { CapturedCall, CapturedCallDetail, Feedback, ShadowResult }

export const CapturedCallDeleted = Schema.Struct({
  id: idOf("call"),
  object: Schema.Literal("captured_call"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "CapturedCallDeleted" })

export const FeedbackCreate = Schema.Struct({
  call_id: Schema.optionalKey(referenceTo("call")),
  external_id: Schema.optionalKey(Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.externalIdMax))),
  name: Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.feedbackNameMax)),
  value: Schema.Finite,
  comment: Schema.optionalKey(Schema.String.check(Characters.isMaxCharacters(CaptureLimits.commentMax))),
  question: Schema.optionalKey(
    Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.questionNameMax)).annotate({
      description:
        "A question of a call of decisions: its id, or its name in that call. The comment of a `correction` is then the true option"
    })
  )
}).annotate({ identifier: "FeedbackCreate", description: "Names the call by `call_id`, `external_id`, or both" })

const workflowStage = "data"
const read = { access: "distill:read", workflowStage } as const
const write = { access: "distill:write", workflowStage } as const
const params = { call_id: idOf("call") }

export class CallsApi extends HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.get("list", "/v1/distill/calls", {
      query: {
        ...listQuery,
        source: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: "Name or id" })),
        model: Schema.optionalKey(Schema.NonEmptyString),
        tag: Schema.optionalKey(Schema.NonEmptyString),
        external_id: Schema.optionalKey(Schema.NonEmptyString),
        served_by: Schema.optionalKey(ServedBy),
        outcome: Schema.optionalKey(Outcome),
        verifies: Schema.optionalKey(
          Flag.annotate({ description: "true: only calls that verify a student's answer, which lists leave out" })
        ),
        text: Schema.optionalKey(
          SearchText.annotate({
            description:
              "What the request or the answer has to contain; upper and lower case are alike. One page looks through " +
              `${CaptureLimits.searchedCallsMax} calls at most, so it may end before its limit, even empty; has_more says whether older calls follow`
          })
        )
      },
      success: listOf(CapturedCall),
      error: readErrors
    }).annotateMerge(operation("listCapturedCalls", "Calls that the proxy captured, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/distill/calls/:call_id", {
      params,
      success: CapturedCallDetail,
      error: readErrors
    }).annotateMerge(operation("getCapturedCall", "One call, with shadow answers and feedback", read))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/distill/calls/:call_id", {
      params,
      success: CapturedCallDeleted,
      error: readErrors
    }).annotateMerge(operation("deleteCapturedCall", "Forget a call; versions made of it keep their rows", write))
  )
  .add(
    HttpApiEndpoint.post("createFeedback", "/v1/distill/feedback", {
      payload: FeedbackCreate,
      success: asCreated(Feedback),
      error: writeErrors
    }).annotateMerge(
      operation("createFeedback", "Rate an answer, by call id or by external id, also before the call", {
        ...write,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listFeedback", "/v1/distill/feedback", {
      query: {
        ...listQuery,
        call_id: Schema.optionalKey(Reference),
        external_id: Schema.optionalKey(Schema.NonEmptyString),
        name: Schema.optionalKey(Schema.NonEmptyString)
      },
      success: listOf(Feedback),
      error: readErrors
    }).annotateMerge(
      operation("listFeedback", "Feedback, newest first; filtered by call, including feedback by external id", read)
    )
  )
  .annotateMerge(about("Captured calls and the feedback on them.")) {}
