/** Whether a call contains a text: in its bodies as people read them, without JSON escapes. */
import * as Result from "effect/Result"
import { CaptureLimits } from "../Limits.ts"
import type { CapturedCall } from "./CapturedCall.ts"

/** As `JSON.stringify` spells it: a client may have written `\u00fc` for ü, and `\/` for a slash. */
const respell = (json: string): string =>
  json.includes("\\") && json.length <= CaptureLimits.parsedBytesMax
    ? Result.getOrElse(
        Result.try(() => JSON.stringify(JSON.parse(json))),
        () => json
      )
    : json

type Bodies = Pick<CapturedCall, "request" | "requestIsJson" | "response" | "responseIsJson">

/** Tells the calls whose request or answer contains the text; upper and lower case are alike. */
export const containsText = (text: string): ((call: Bodies) => boolean) => {
  const plain = text.toLowerCase()
  const inJson = JSON.stringify(plain).slice(1, -1)
  const says = (body: string, isJson: boolean) =>
    isJson ? respell(body).toLowerCase().includes(inJson) : body.toLowerCase().includes(plain)
  return ({ request, requestIsJson, response, responseIsJson }) =>
    says(request, requestIsJson) || (response !== null && says(response, responseIsJson))
}
