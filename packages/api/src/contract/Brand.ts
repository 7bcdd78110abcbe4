/** The names that the wire carries (contract 1, "wire brand"), in one place. */

/** What our own names begin with, unless the host has a name of its own. */
export const defaultBrand = "Service"

/** Names shared by all brands. */
export const wire = {
  requestId: "X-Request-Id",
  idempotencyKey: "Idempotency-Key",
  idempotentReplayed: "Idempotent-Replayed",
  csrfToken: "X-CSRF-Token"
} as const

export const versionHeader = (brand: string): string => `${brand}-Version`

/** The headers with which a signed-in person selects the partition; ignored for tokens (service-api 5.4). */
export const sessionHeaders = (brand: string) => ({ mode: `${brand}-Mode`, workspace: `${brand}-Workspace` })

/** What a call through the proxy carries (service-api 4.2). */
export const proxyHeaders = (brand: string) => ({
  source: `X-${brand}-Source`,
  tags: `X-${brand}-Tags`,
  externalId: `X-${brand}-External-Id`,
  callId: `X-${brand}-Call-Id`,
  servedBy: `X-${brand}-Served-By`,
  /** Who answered which questions of a request for decisions to a deployment. */
  decisions: `X-${brand}-Decisions`,
  /** The fields of student and upstream in a mixed JSON answer of a deployment. */
  fields: `X-${brand}-Fields`,
  /** The name of the source that answered a call of a source with fallbacks or retries. */
  upstream: `X-${brand}-Upstream`
})

const grammar = /^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*$/
const lengthMax = 32

/** Whether header names can begin with it: words of letters and digits, with single hyphens between. */
export const isBrand = (brand: string): boolean => grammar.test(brand) && brand.length <= lengthMax
