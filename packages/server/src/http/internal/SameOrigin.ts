/** Whether a request comes from our own page, by the browser's headers about its origin, if any. */
import { PermissionDenied } from "@limbeck/core/errors/Errors"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerSettings } from "../../Settings.ts"
import * as SessionCookie from "./SessionCookie.ts"

type Settings = Pick<ServerSettings, "brand" | "publicUrl">

/** Compares scheme and host: an attacker on the network can forge an `http:` page under our host. */
const isOurs = (origin: string, request: HttpServerRequest, settings: Settings): boolean => {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  if (page.origin === new URL(settings.publicUrl).origin) return true
  const scheme = SessionCookie.isSecure(request, settings) ? "https:" : "http:"
  return page.host === request.headers["host"] && page.protocol === scheme
}

/** Of a request that may change something. A browser says where it comes from; a program may say nothing. */
export const refusalOf = (request: HttpServerRequest, settings: Settings): PermissionDenied | undefined => {
  const { origin, "sec-fetch-site": site } = request.headers
  const foreign =
    (site !== undefined && site !== "same-origin") || (origin !== undefined && !isOurs(origin, request, settings))
  return foreign
    ? new PermissionDenied({
        message:
          "A session is used by pages of this server alone: pages at PUBLIC_URL, or of the host and scheme of the request",
        param: null
      })
    : undefined
}
