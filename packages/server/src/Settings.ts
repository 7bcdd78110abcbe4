/** What a host may set about the server; every value has a default. */
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import * as Context from "effect/Context"

export interface ServerSettings {
  /** Where the server is reached from outside, without a trailing slash; in upload URLs and the OpenAPI document. */
  readonly publicUrl: string
  /** Per token; null: no limit. */
  readonly rateLimit: RateLimit | null
  /** Bytes of a control-plane body (contract 1). */
  readonly bodyBytesMax: number
  /** Origins that browsers may call from; none by default. */
  readonly corsOrigins: ReadonlyArray<string>
  /** Endpoints whose every delivery failed for so many days are disabled; null: none ever is (contract 8). */
  readonly webhookDisableAfterDays: number | null
  /** Deliveries and attempts are kept for so many days, and then for up to a week more. */
  readonly webhookHistoryDays: number
  /** Shown by `/healthz`. */
  readonly version: string
}

export const ServerSettings = Context.Reference<ServerSettings>("@limbeck/server/ServerSettings", {
  defaultValue: () => ({
    publicUrl: "http://127.0.0.1:8080",
    rateLimit: { perSecond: 100, burst: 200 },
    bodyBytesMax: 1024 * 1024,
    corsOrigins: [],
    webhookDisableAfterDays: null,
    webhookHistoryDays: 30,
    version: "0.0.0"
  })
})
