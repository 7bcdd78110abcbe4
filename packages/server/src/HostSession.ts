/** Sessions that a host begins for people whom it knows by itself. */
import * as SessionCookie from "./http/internal/SessionCookie.ts"
import type { ServerSettings } from "./Settings.ts"

/** The value of `Set-Cookie` for a session of this secret, as the server at `publicUrl` gives it. */
export const cookieOf = (settings: Pick<ServerSettings, "brand" | "publicUrl">, secret: string): string =>
  SessionCookie.ofHost(settings, secret)
