/** What a host may set about the server; every value has a default. */
import { defaultBrand, isBrand } from "@limbeck/api/Brand"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import { Limits as GatewayLimits } from "@limbeck/gateway/Limits"
import * as RetrySchedule from "@limbeck/webhooks/delivery/RetrySchedule"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export interface ServerSettings {
  /** Where the server is reached from outside, without a trailing slash; in upload URLs and the OpenAPI document. */
  readonly publicUrl: string
  /** Begins the names of our headers, such as `Service-Version`, and the user agents of what we send. */
  readonly brand: string
  /** Per token, over all servers; null: no limit. */
  readonly rateLimit: RateLimit | null
  /** Bytes of a control-plane body (contract 1). */
  readonly bodyBytesMax: number
  /** Bytes of a body that goes through the proxy (contract 1). */
  readonly proxyBodyBytesMax: number
  /** Origins that browsers may call from; none by default. */
  readonly corsOrigins: ReadonlyArray<string>
  /** When attempts of a delivery are due: seconds after the first, which is the 0 at the head; 20 attempts at most. */
  readonly webhookScheduleSeconds: ReadonlyArray<number>
  /** Endpoints whose every delivery failed for so many days are disabled; null: none ever is (contract 8). */
  readonly webhookDisableAfterDays: number | null
  /** Deliveries and attempts are kept for so many days, and then for up to a week more. */
  readonly webhookHistoryDays: number
  /** Contents of uploads and pulls are kept for so many days after they were read; null: for ever. */
  readonly uploadRetentionDays: number | null
  /** Captured calls are kept for so many days; null: for ever. */
  readonly callHistoryDays: number | null
  /** Shown by `/healthz`. */
  readonly version: string
}

export const ServerSettings = Context.Reference<ServerSettings>("@limbeck/server/ServerSettings", {
  defaultValue: () => ({
    publicUrl: "http://127.0.0.1:8080",
    brand: defaultBrand,
    rateLimit: { perSecond: 100, burst: 200 },
    bodyBytesMax: 1024 * 1024,
    proxyBodyBytesMax: GatewayLimits.proxyBodyBytesMax,
    corsOrigins: [],
    webhookScheduleSeconds: RetrySchedule.standard.offsetsSeconds,
    webhookDisableAfterDays: null,
    webhookHistoryDays: 30,
    callHistoryDays: null,
    uploadRetentionDays: null,
    version: "0.0.0"
  })
})

/** A setting that cannot be; nothing starts with it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String,
  setting: Schema.String
}) {}

const isLimit = ({ burst, perSecond }: RateLimit): boolean =>
  burst >= 1 && perSecond > 0 && Number.isFinite(burst / perSecond)

const isDays = (days: number | null): boolean => days === null || (Number.isFinite(days) && days > 0)

const mistakes = ({
  brand,
  callHistoryDays,
  rateLimit,
  uploadRetentionDays,
  webhookScheduleSeconds
}: ServerSettings): Partial<Record<keyof ServerSettings, string>> => {
  const schedule = RetrySchedule.mistakeIn({ offsetsSeconds: webhookScheduleSeconds })
  return {
    ...(isBrand(brand) ? {} : { brand: "is letters and digits that a header name can begin with, 32 at most" }),
    ...(rateLimit === null || isLimit(rateLimit)
      ? {}
      : { rateLimit: "is a burst of 1 or more, and more than 0 a second" }),
    ...(isDays(callHistoryDays) ? {} : { callHistoryDays: "is a number of days above 0, or null" }),
    ...(isDays(uploadRetentionDays) ? {} : { uploadRetentionDays: "is a number of days above 0, or null" }),
    ...(schedule === null ? {} : { webhookScheduleSeconds: schedule })
  }
}

/** The settings as given, over the defaults. */
export const layer = (given: Partial<ServerSettings> = {}): Layer.Layer<never, InvalidSetting> =>
  Layer.effect(
    ServerSettings,
    Effect.suspend(() => {
      const settings = { ...ServerSettings.defaultValue(), ...given }
      const [first] = Object.entries(mistakes(settings))
      if (first === undefined) return Effect.succeed(settings)
      const [setting, mistake] = first
      return Effect.fail(new InvalidSetting({ message: `${setting} ${mistake}`, setting }))
    })
  )
