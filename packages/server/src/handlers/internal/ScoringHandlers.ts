/** The route for trainers' scoring. The run attempt's capability is the authority; tokens have none. */
import { factsOf } from "@limbeck/api/Operation"
import { ScoringApi, ScoringRequest } from "@limbeck/api/ScoringApi"
import { Unauthenticated } from "@limbeck/core/errors/Errors"
import { Scorings } from "@limbeck/distill/scoring/Scorings"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Decode from "../../http/internal/Decode.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import { bodyOf, responsesOf } from "../../http/internal/Routes.ts"
import { Limits } from "../../internal/Limits.ts"

const facts = factsOf(ScoringApi.endpoints.score.annotations)
const decode = Decode.strict(ScoringRequest)

export const make = Effect.gen(function* () {
  const scorings = yield* Scorings

  const score = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    const run = params["run_id"] ?? ""
    const capability = Pipeline.bearerOf(request)
    if (capability === undefined || capability.length > Limits.capabilityMax) return yield* new Unauthenticated()
    const { workspace } = yield* scorings.check(run, capability)
    const bytes = yield* Pipeline.readBody(request, workspace, Limits.scoringBytesMax)
    const { completions } = yield* decode(yield* bodyOf(request, facts, bytes))
    const { data, judgeTokens } = yield* scorings.score(run, capability, completions)
    return HttpServerResponse.jsonUnsafe(
      { data, judge_tokens: judgeTokens },
      { headers: { "cache-control": "no-store" } }
    )
  })

  return responsesOf(ScoringApi)({ score })
})
