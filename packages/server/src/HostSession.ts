/** The cookie of a session that a host begins for a person whom it knows by itself. */
export { ofHost as cookieOf } from "./http/internal/SessionCookie.ts"
