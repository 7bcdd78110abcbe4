/** Sessions that a host begins for people whom it knows by itself. */
import * as SessionCookie from "./http/internal/SessionCookie.ts"
import type { ServerSettings } from "./Settings.ts"

/** The `Set-Cookie` value for a session with this secret, in the form of the server at `publicUrl`. */
export const cookieOf = (settings: Pick<ServerSettings, "brand" | "publicUrl">, secret: string): string =>
  SessionCookie.ofHost(settings, secret)
