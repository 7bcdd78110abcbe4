/** A request for a source, in its own dialect and with its own model. */
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import type { Source } from "@limbeck/capture/source/Source"
import { invalid } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as ModelMember from "../../student/internal/ModelMember.ts"
import type { AliasRequest, EndpointRequest } from "./DeploymentCall.ts"
import * as DialectRequest from "./DialectRequest.ts"

export const make = Effect.fnUntraced(function* (source: Source, request: AliasRequest, model: string) {
  const asked = yield* DialectRequest.forSource(source, request, model)
  if (asked.request !== request) return asked
  const body = request.body === null ? null : yield* ModelMember.replaceModel(request.body, model)
  return { ...asked, request: { ...request, body, model } }
})

/** A request for decisions, which no dialect translates: to the source's own path, with its own model. */
export const ofDecisions = Effect.fnUntraced(function* (source: Source, request: EndpointRequest, model: string) {
  const { body, endpoint } = request
  if (!DialectRules.hasEndpoint(source.dialect, endpoint)) {
    return yield* invalid("model", DialectRules.refusal(source.name, source.dialect, endpoint))
  }
  const target = DialectRules.targetOf(source.dialect, endpoint, request.target)
  return { ...request, target, model, body: body && (yield* ModelMember.replaceModel(body, model)) }
})
