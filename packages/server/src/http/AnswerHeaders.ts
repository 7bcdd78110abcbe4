/** What every answer tells browsers and caches, whatever the route. */

/** A year, as browsers' preload lists ask for. */
const strictTransportSeconds = 31_536_000

/** `X-Content-Type-Options`; with an https `publicUrl` also `Strict-Transport-Security` (RFC 6797), of this host alone. */
export const browserHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  ...(publicUrl.startsWith("https:") ? { "strict-transport-security": `max-age=${strictTransportSeconds}` } : {})
})

/** The default of every response: data read by a token must not stay in a browser's cache after signing out. */
export const noStoreHeaders = { "cache-control": "no-store" } as const
