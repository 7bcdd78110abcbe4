/** `GET /v1/shared/reports/{share_token}`: the token in the path is the authority. JSON, or a page on request. */
import { SharedReportsApi } from "@limbeck/api/ReportsApi"
import * as ReportPage from "@limbeck/api/report/ReportPage"
import { pageStyle } from "@limbeck/api/report/ReportStyle"
import * as ReportResource from "@limbeck/distill/report/ReportResource"
import { Shares } from "@limbeck/distill/report/Shares"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Accept from "../../http/internal/Accept.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { responsesOf } from "../../http/internal/Routes.ts"

/** The link is a secret, so no copy of its page may outlive it. */
const privately = {
  "cache-control": "private, no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
  vary: "Accept"
}

/** Permits only the page's own style: no script, no requests, no frames. */
const policyOf = (styleDigest: Uint8Array): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${Base64.encode(styleDigest)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

export const make = Effect.gen(function* () {
  const shares = yield* Shares
  const digest = yield* Digest
  const policy = policyOf(yield* digest.digest(sha256, new TextEncoder().encode(pageStyle)))

  const get = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { params } = yield* HttpRouter.RouteContext
    yield* RequestVersion.check
    const { partition, report } = yield* shares.open(params["share_token"] ?? "")
    const shown = ReportResource.render(partition, report)
    if (!Accept.prefersHtml(request.headers["accept"])) {
      return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(shown), { headers: privately })
    }
    const names = yield* shares.namesOf(partition, report)
    return HttpServerResponse.text(ReportPage.render(shown, names), {
      contentType: "text/html; charset=utf-8",
      headers: { ...privately, "content-security-policy": policy }
    })
  })

  return responsesOf(SharedReportsApi)({ get })
})
