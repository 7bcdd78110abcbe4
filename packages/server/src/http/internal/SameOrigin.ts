/** Whether a request comes from a page of ours: what a browser says of the page that sends it, where it says something. */
import { PermissionDenied } from "@limbeck/core/errors/Errors"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

const isOurs = (origin: string, host: string | undefined, publicUrl: string): boolean => {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  return page.origin === new URL(publicUrl).origin || page.host === host
}

/** Of a request that may change something. A browser says where it comes from; a program may say nothing. */
export const refusalOf = ({ headers }: HttpServerRequest, publicUrl: string): PermissionDenied | undefined => {
  const site = headers["sec-fetch-site"]
  const origin = headers["origin"]
  const foreign =
    (site !== undefined && site !== "same-origin") ||
    (origin !== undefined && !isOurs(origin, headers["host"], publicUrl))
  return foreign
    ? new PermissionDenied({ message: "A session is used by pages of this server alone", param: null })
    : undefined
}
