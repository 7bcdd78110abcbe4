/**
 * The cookie of a session. Where pages come by https its name begins with `__Host-`, which browsers take from the host itself alone;
 * there no other name is read.
 */
import { Limits } from "@limbeck/core/Limits"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ServerSettings } from "../../Settings.ts"

type Settings = Pick<ServerSettings, "brand" | "publicUrl">

const plainName = ({ brand }: Settings): string => `${brand.toLowerCase()}-session`
const hostName = (settings: Settings): string => `__Host-${plainName(settings)}`

const isPublicSecure = ({ publicUrl }: Settings): boolean => publicUrl.startsWith("https:")

/** A host that answers https by itself need not have told its URL. A proxy in front that lies about it harms its own clients alone. */
export const isSecure = (request: HttpServerRequest, settings: Settings): boolean =>
  isPublicSecure(settings) ||
  request.originalUrl.startsWith("https:") ||
  /^https\s*(?:,|$)/i.test(request.headers["x-forwarded-proto"] ?? "")

/** The secret that a request brings. */
export const secretOf = (request: HttpServerRequest, settings: Settings): string | undefined =>
  request.cookies[hostName(settings)] ?? (isPublicSecure(settings) ? undefined : request.cookies[plainName(settings)])

/** `Set-Cookie` with a secret and its lifetime in seconds. */
const cookie = (name: string, secret: string, seconds: number, secure: boolean): string =>
  [
    `${name}=${secret}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(secure ? ["Secure"] : [])
  ].join("; ")

const made = (settings: Settings, secure: boolean, secret: string, seconds: number): string =>
  cookie(secure ? hostName(settings) : plainName(settings), secret, seconds, secure)

/** For a session that begins: the browser forgets it when it ends at the latest. */
export const setCookie = (request: HttpServerRequest, settings: Settings, secret: string): string =>
  made(settings, isSecure(request, settings), secret, Limits.sessionMillis / 1000)

/** For a session that has ended. */
export const clearCookie = (request: HttpServerRequest, settings: Settings): string =>
  made(settings, isSecure(request, settings), "", 0)

/** For a host that sets the cookie itself. */
export const ofHost = (settings: Settings, secret: string): string =>
  made(settings, isPublicSecure(settings), secret, Limits.sessionMillis / 1000)
