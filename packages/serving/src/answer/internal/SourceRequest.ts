/** A request for a source, in its own dialect and with its own model. */
import type { Source } from "@limbeck/capture/source/Source"
import * as Effect from "effect/Effect"
import * as ModelMember from "../../student/internal/ModelMember.ts"
import type { AliasRequest } from "./DeploymentCall.ts"
import * as DialectRequest from "./DialectRequest.ts"

export const make = Effect.fnUntraced(function* (source: Source, request: AliasRequest, model: string) {
  const asked = yield* DialectRequest.forSource(source, request, model)
  if (asked.request !== request) return asked
  const body = request.body === null ? null : yield* ModelMember.replaced(request.body, model)
  return { ...asked, request: { ...request, body, model } }
})
