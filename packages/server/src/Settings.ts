/** What a host may set about the server; every value has a default. Each row of `settingTable` defines one setting, and no other place does. */
import { defaultBrand, isBrand } from "@limbeck/api/Brand"
import * as Money from "@limbeck/core/money/Money"
import { Pools } from "@limbeck/core/pools/Pools"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import * as Notation from "@limbeck/core/settings/Notation"
import { initialsOf, must, type Setting, type SettingTable, setting } from "@limbeck/core/settings/Setting"
import * as RetrySchedule from "@limbeck/webhooks/delivery/RetrySchedule"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Limits } from "./internal/Limits.ts"
import { version } from "./internal/Version.ts"

export { version }

const isLimit = ({ burst, perSecond }: RateLimit): boolean =>
  burst >= 1 && perSecond > 0 && Number.isFinite(burst / perSecond)

const isDays = (days: number): boolean => Number.isFinite(days) && days > 0
const days = must(isDays, "is a number of days above 0")
const daysOrNull = must((days: number | null) => days === null || isDays(days), "is a number of days above 0, or null")
const bytes = must((count: number) => Number.isSafeInteger(count) && count > 0, "is a whole number of bytes above 0")

/** Paths are appended to it. */
const isBase = (text: string): boolean => /^https?:\/\/[^?#]*[^?#/]$/.test(text) && URL.canParse(text)
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

const rateLimitText = Notation.fromParser(
  (text): RateLimit | undefined => {
    const [, rate = "0", burst = "0"] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []
    const limit = { perSecond: Number(rate), burst: Number(burst) }
    return limit.perSecond > 0 && limit.burst > 0 ? limit : undefined
  },
  "must be off, or requests per second/burst such as 100/200",
  ({ burst, perSecond }) => `${perSecond}/${burst}`
)

const dollarsText = Notation.fromParser(
  (text) => (/^\d{1,9}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined),
  "must be off, or US dollars above 0 such as 5 or 0.50"
)

/** A history without an end by default, which the variable limits. */
const history = (name: string, meaning: string, meaningOfNull = "") =>
  setting<number | null>({
    initial: null,
    rule: daysOrNull,
    unit: "days",
    meaning: `${meaning}${meaningOfNull}`,
    variable: { name, notation: Notation.daysOrForEver, unit: "days", meaning }
  })

/** Every setting of the server, in the order of the documentation. */
export const settingTable = {
  brand: setting<string>({
    initial: defaultBrand,
    rule: must(isBrand, "is letters and digits that a header name can begin with, 32 at most"),
    meaning: "prefix of our headers' names, and of the user agents of our requests; see below"
  }),
  publicUrl: setting<string>({
    initial: "http://127.0.0.1:8080",
    rule: must(isBase, "is a URL of http or https, without a query, and without a slash at its end"),
    meaning: "the server's URL for clients; in upload URLs and the OpenAPI document"
  }),
  rateLimit: setting<RateLimit | null>({
    initial: { perSecond: 100, burst: 200 },
    rule: must(
      (limit: RateLimit | null) => limit === null || isLimit(limit),
      "is a burst of 1 or more, and more than 0 a second, or null"
    ),
    meaning: "requests per token, over all servers; `null`: none",
    variable: {
      name: "RATE_LIMIT",
      notation: Notation.orOff(rateLimitText),
      meaning: "requests per second and burst, per token; or `off`"
    }
  }),
  bodyBytesMax: setting<number>({
    initial: 1024 * 1024,
    rule: bytes,
    unit: "bytes",
    meaning: "size of a request's body"
  }),
  proxyBodyBytesMax: setting<number>({
    initial: Limits.proxyBodyBytesMax,
    rule: bytes,
    unit: "bytes",
    meaning: "size of a body through the proxy"
  }),
  bodiesBytesMax: setting<number>({
    initial: Pools.bodyBytes.size,
    rule: bytes,
    unit: "bytes",
    meaning: "memory for the bodies of all requests under way; at most half for one workspace"
  }),
  corsOrigins: setting<ReadonlyArray<string>>({
    initial: [],
    rule: must(
      (origins: ReadonlyArray<string>) => origins.every(isOrigin),
      "are origins, such as https://app.example.com"
    ),
    meaning: "allowed origins of browsers' calls"
  }),
  webhookScheduleSeconds: setting<ReadonlyArray<number>>({
    initial: RetrySchedule.standard.offsetsSeconds,
    rule: (offsetsSeconds) => RetrySchedule.mistakeIn({ offsetsSeconds }),
    unit: "seconds",
    meaning: "when attempts of a delivery are due, see [webhooks](webhooks.md)"
  }),
  webhookDisableAfterDays: setting<number | null>({
    initial: null,
    rule: daysOrNull,
    unit: "days",
    meaning: "disables an endpoint after this time of failed deliveries only; `null`: never"
  }),
  webhookHistoryDays: setting<number>({
    initial: 30,
    rule: days,
    unit: "days",
    meaning: "how long deliveries and attempts are kept; up to a week more"
  }),
  uploadRetentionDays: history(
    "UPLOAD_RETENTION_DAYS",
    "how long contents of uploads and pulls are kept",
    "; `null`: for ever"
  ),
  callHistoryDays: history(
    "CALL_HISTORY_DAYS",
    "how long captured calls and their feedback are kept",
    "; `null`: for ever"
  ),
  eventHistoryDays: history(
    "EVENT_HISTORY_DAYS",
    "how long events are kept; never less than their deliveries",
    "; `null`: for ever"
  ),
  conversationHistoryDays: history(
    "CONVERSATION_HISTORY_DAYS",
    "how long conversations are kept after their last message",
    "; `null`: for ever"
  ),
  billingEnforced: setting<boolean>({
    initial: false,
    rule: must((enforced: boolean) => typeof enforced === "boolean", "is true or false"),
    meaning: "whether live runs and managed calls need a [balance](billing.md)",
    variable: {
      name: "BILLING",
      notation: Notation.oneOf({ off: false, enforced: true }),
      meaning: "`enforced`: live runs and managed calls need a [balance](billing.md)"
    }
  }),
  balanceLowUsd: setting<number | null>({
    initial: 5,
    rule: must(
      (usd: number | null) => usd === null || (usd > 0 && Money.fromUsd(usd) !== undefined),
      "is an amount of US dollars above 0 with at most 6 decimals, or null"
    ),
    unit: "US dollars",
    meaning: "a lower balance publishes `billing.balance_low`; `null`: never",
    variable: {
      name: "BALANCE_LOW_USD",
      notation: Notation.orOff(dollarsText),
      unit: "US dollars",
      meaning: "a lower balance publishes `billing.balance_low`; `off`: never"
    }
  }),
  version: setting<string>({
    initial: version,
    rule: () => null,
    shown: "that of `@limbeck/server`",
    meaning: "the version in `/healthz`"
  })
}

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never

/** Every setting of the server, by the rows of `settingTable`. */
export type ServerSettings = { readonly [Name in keyof typeof settingTable]: ValueOf<(typeof settingTable)[Name]> }

/** What is undefined is not given: hosts read settings from their environment. */
export type GivenSettings = { readonly [Name in keyof ServerSettings]?: ServerSettings[Name] | undefined }

const defaults: ServerSettings = initialsOf<ServerSettings>(settingTable)

export const ServerSettings = Context.Reference<ServerSettings>("@limbeck/server/ServerSettings", {
  defaultValue: () => defaults
})

/** A setting that cannot be; nothing starts with it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String,
  setting: Schema.String
}) {}

const overDefaults = (given: GivenSettings): ServerSettings => {
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(named) }
}

const mistakeIn = (settings: ServerSettings): InvalidSetting | undefined => {
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(settingTable, name))
  if (unknown !== undefined) return new InvalidSetting({ message: `${unknown} is no setting`, setting: unknown })
  const table: SettingTable<ServerSettings> = settingTable
  const broken = <Name extends keyof ServerSettings>(setting: Name) => {
    const mistake = table[setting].rule(settings[setting])
    return mistake === null ? [] : [new InvalidSetting({ message: `${setting} ${mistake}`, setting })]
  }
  return Struct.keys(settingTable).flatMap(broken)[0]
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
