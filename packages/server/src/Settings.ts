/** What a host may set about the server; every value has a default. */
import { defaultBrand, isBrand } from "@limbeck/api/Brand"
import * as Money from "@limbeck/core/money/Money"
import { Pools } from "@limbeck/core/pools/Pools"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import * as RetrySchedule from "@limbeck/webhooks/delivery/RetrySchedule"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Limits } from "./internal/Limits.ts"
import { version } from "./internal/Version.ts"

export { version }

/** Every setting of the server. */
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
  /** Bytes of bodies that requests under way hold in memory, all together; a workspace has at most half. What comes beyond is a 503. */
  readonly bodiesBytesMax: number
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
  /** Captured calls, and what was said of them, are kept for so many days; null: for ever. */
  readonly callHistoryDays: number | null
  /** Events are kept for so many days, and for as long as there are deliveries of that time; null: for ever. */
  readonly eventHistoryDays: number | null
  /** Conversations are kept for so many days after their last message; null: for ever. */
  readonly conversationHistoryDays: number | null
  /** Whether live runs and managed calls need a balance that covers them; by default they are counted and never refused. */
  readonly billingEnforced: boolean
  /** `billing.balance_low` is published when a balance falls below so many US dollars; null: never. */
  readonly balanceLowUsd: number | null
  /** Shown by `/healthz`. */
  readonly version: string
}

/** What is undefined is not given: hosts read settings from their environment. */
export type GivenSettings = { readonly [Name in keyof ServerSettings]?: ServerSettings[Name] | undefined }

export const ServerSettings = Context.Reference<ServerSettings>("@limbeck/server/ServerSettings", {
  defaultValue: () => ({
    publicUrl: "http://127.0.0.1:8080",
    brand: defaultBrand,
    rateLimit: { perSecond: 100, burst: 200 },
    bodyBytesMax: 1024 * 1024,
    proxyBodyBytesMax: Limits.proxyBodyBytesMax,
    bodiesBytesMax: Pools.bodyBytes.size,
    corsOrigins: [],
    webhookScheduleSeconds: RetrySchedule.standard.offsetsSeconds,
    webhookDisableAfterDays: null,
    webhookHistoryDays: 30,
    callHistoryDays: null,
    eventHistoryDays: null,
    conversationHistoryDays: null,
    uploadRetentionDays: null,
    billingEnforced: false,
    balanceLowUsd: 5,
    version
  })
})

/** A setting that cannot be; nothing starts with it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String,
  setting: Schema.String
}) {}

type Rule<Value> = (value: Value) => string | null

const must =
  <Value>(isRight: (value: Value) => boolean, rule: string): Rule<Value> =>
  (value) =>
    isRight(value) ? null : rule

const isLimit = ({ burst, perSecond }: RateLimit): boolean =>
  burst >= 1 && perSecond > 0 && Number.isFinite(burst / perSecond)

const isDays = (days: number): boolean => Number.isFinite(days) && days > 0
const days = must(isDays, "is a number of days above 0")
const daysOrNull = must((days: number | null) => days === null || isDays(days), "is a number of days above 0, or null")
const bytes = must((count: number) => Number.isSafeInteger(count) && count > 0, "is a whole number of bytes above 0")

/** Paths are appended to it. */
const isBase = (text: string): boolean => /^https?:\/\/[^?#]*[^?#/]$/.test(text) && URL.canParse(text)
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

const rules: { readonly [Name in keyof ServerSettings]: Rule<ServerSettings[Name]> } = {
  publicUrl: must(isBase, "is a URL of http or https, without a query, and without a slash at its end"),
  brand: must(isBrand, "is letters and digits that a header name can begin with, 32 at most"),
  rateLimit: must(
    (limit) => limit === null || isLimit(limit),
    "is a burst of 1 or more, and more than 0 a second, or null"
  ),
  bodyBytesMax: bytes,
  proxyBodyBytesMax: bytes,
  bodiesBytesMax: bytes,
  corsOrigins: must((origins) => origins.every(isOrigin), "are origins, such as https://app.example.com"),
  webhookScheduleSeconds: (offsetsSeconds) => RetrySchedule.mistakeIn({ offsetsSeconds }),
  webhookDisableAfterDays: daysOrNull,
  webhookHistoryDays: days,
  uploadRetentionDays: daysOrNull,
  callHistoryDays: daysOrNull,
  eventHistoryDays: daysOrNull,
  conversationHistoryDays: daysOrNull,
  billingEnforced: must((enforced) => typeof enforced === "boolean", "is true or false"),
  balanceLowUsd: must(
    (usd) => usd === null || (usd > 0 && Money.fromUsd(usd) !== undefined),
    "is an amount of US dollars above 0 with at most 6 decimals, or null"
  ),
  version: () => null
}

const overDefaults = (given: GivenSettings): ServerSettings => {
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...ServerSettings.defaultValue(), ...Object.fromEntries(named) }
}

const mistakeIn = (settings: ServerSettings): InvalidSetting | undefined => {
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined) return new InvalidSetting({ message: `${unknown} is no setting`, setting: unknown })
  const broken = <Name extends keyof ServerSettings>(setting: Name) => {
    const mistake = rules[setting](settings[setting])
    return mistake === null ? [] : [new InvalidSetting({ message: `${setting} ${mistake}`, setting })]
  }
  return Struct.keys(rules).flatMap(broken)[0]
}

/** The settings as given, over the defaults. */
export const layer = (given: GivenSettings = {}): Layer.Layer<never, InvalidSetting> =>
  Layer.effect(
    ServerSettings,
    Effect.suspend(() => {
      const settings = overDefaults(given)
      const mistake = mistakeIn(settings)
      return mistake === undefined ? Effect.succeed(settings) : Effect.fail(mistake)
    })
  )
