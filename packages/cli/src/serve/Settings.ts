/** Every setting of the standalone server, from the environment (contract 13). A wrong one is one clear sentence. */

import * as path from "node:path"
import type { RateLimit } from "@limbeck/core/rate/TokenBucket"
import { parseKey } from "@limbeck/core/secrets/Secrets"
import * as TokenSecret from "@limbeck/core/tokens/TokenSecret"
import type { TelemetryOptions } from "@limbeck/limbeck/Assembly"
import * as IpNetwork from "effect/net/IpNetwork"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Environment, ownSecrets } from "./Environment.ts"
import { Limits } from "./Limits.ts"
import { meantBy, type SettingName } from "./SettingNames.ts"

type StorageChoice = "embedded" | "memory" | "postgres"

export interface RaySettings {
  /** Of the cluster's dashboard, where its job API is. */
  readonly address: string
  /** The server and every machine of the cluster reach it under this path. */
  readonly sharedDir: string
}

export interface Settings {
  readonly host: string
  readonly port: number
  readonly connectionsMax: number
  /** How long a connection stays open after its last response. */
  readonly keepAliveSeconds: number
  readonly databaseUrl: string | null
  readonly storage: StorageChoice
  readonly dataDir: string
  /** Null: in the storage. */
  readonly blobsDir: string | null
  readonly liveToken: string | null
  readonly testToken: string | null
  /** Null: kept in the data folder. */
  readonly encryptionKeys: ReadonlyArray<Redacted.Redacted<Uint8Array>> | null
  readonly publicUrl: string | null
  readonly rateLimit: RateLimit | null
  readonly egressAllow: ReadonlyArray<string>
  /** Null: contents of uploads are kept for ever. */
  readonly uploadRetentionDays: number | null
  /** Null: captured calls are kept for ever. */
  readonly callHistoryDays: number | null
  /** Null: events are kept for ever. */
  readonly eventHistoryDays: number | null
  /** Null: conversations are kept for ever. */
  readonly conversationHistoryDays: number | null
  /** Whether balances bind. */
  readonly billingEnforced: boolean
  /** Null: nobody is told of a low balance. */
  readonly balanceLowUsd: number | null
  readonly executor: "process" | "ray" | "stub"
  /** The cluster that `EXECUTOR=ray` names; else null. */
  readonly ray: RaySettings | null
  /** For the shell; null: nobody trains language models. */
  readonly trainerCommand: string | null
  /** Names of variables that the trainer gets beside those that hold no secret. */
  readonly trainerEnv: ReadonlyArray<string>
  /** Whether the trainer also takes two steps in rehearsals: it has to know what `rehearsal` of its job means. */
  readonly trainerRehearses: boolean
  /** As words; null: students without an endpoint of their own are not served. */
  readonly servingCommand: string | null
  /** Where models lie on this machine, for trainers and serving commands; null: nobody said. */
  readonly modelsDir: string | null
  /** Where captured calls wait for the storage; null: in memory. */
  readonly journalDir: string | null
  /** JSON; null: the standard students and compute profiles. */
  readonly catalogFile: string | null
  /** Whether `GET /metrics` is answered. */
  readonly metrics: boolean
  /** Where traces and metrics are sent; null: nowhere, and then nothing is traced. */
  readonly telemetry: TelemetryOptions | null
  readonly logLevel: "Debug" | "Info" | "Warn" | "Error"
  readonly logFormat: "json" | "pretty"
}

class SettingError {
  readonly message: string
  constructor(name: string, problem: string) {
    this.message = `${name}: ${problem}`
  }
}

const refuse = (name: SettingName, problem: string): never => {
  throw new SettingError(name, problem)
}

/** An empty value counts as none. */
const read = (env: Environment, name: SettingName): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}

const oneOf = <const A extends string>(
  env: Environment,
  name: SettingName,
  allowed: ReadonlyArray<A>,
  fallback: A
): A => {
  const value = read(env, name)
  if (value === null) return fallback
  return (
    allowed.find((entry) => entry === value) ?? refuse(name, `must be one of ${allowed.join(", ")}, not "${value}"`)
  )
}

const portOf = (env: Environment): number => {
  const value = read(env, "PORT")
  if (value === null) return 8080
  const port = Number(value)
  return /^\d+$/.test(value) && port <= 65_535 ? port : refuse("PORT", "must be a whole number from 0 to 65535")
}

const connectionsOf = (env: Environment): number => {
  const value = read(env, "MAX_CONNECTIONS")
  if (value === null) return Limits.connectionsMax
  return /^[1-9]\d{0,5}$/.test(value)
    ? Number(value)
    : refuse("MAX_CONNECTIONS", "must be a whole number from 1 to 999999")
}

const keepAliveOf = (env: Environment): number => {
  const value = read(env, "KEEP_ALIVE_SECONDS")
  if (value === null) return Limits.keepAliveSeconds
  return /^[1-9]\d{0,3}$/.test(value)
    ? Number(value)
    : refuse("KEEP_ALIVE_SECONDS", "must be a whole number of seconds from 1 to 9999")
}

const urlOf = (env: Environment, name: SettingName, protocols: ReadonlyArray<string>): string | null => {
  const value = read(env, name)
  if (value === null) return null
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && protocols.includes(url.protocol)
    ? value.replace(/\/$/, "")
    : refuse(name, `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`)
}

/** Paths are appended to it. */
const publicUrlOf = (env: Environment): string | null => {
  const url = urlOf(env, "PUBLIC_URL", ["http:", "https:"])
  return url !== null && /[?#]/.test(url) ? refuse("PUBLIC_URL", "must have neither a query nor a fragment") : url
}

const tokenOf = (env: Environment, name: SettingName, livemode: boolean): string | null => {
  const value = read(env, name)
  if (value === null || TokenSecret.isBootstrap(livemode, value)) return value
  return refuse(name, `must be ${TokenSecret.prefix(livemode)} and 32 or more of 0-9, A-Z, a-z`)
}

const keysOf = (env: Environment) => {
  const value = read(env, "ENCRYPTION_KEY")
  if (value === null) return null
  return value
    .split(",")
    .map(
      (text) =>
        parseKey(text) ?? refuse("ENCRYPTION_KEY", "must be 32 bytes in base64, or a comma-separated list of such")
    )
}

const rateLimitOf = (env: Environment): RateLimit | null => {
  const value = read(env, "RATE_LIMIT") ?? "100/200"
  if (value === "off") return null
  const [, rate = "0", burst = "0"] = /^(\d{1,7})\/(\d{1,7})$/.exec(value) ?? []
  const limit = { perSecond: Number(rate), burst: Number(burst) }
  return limit.perSecond > 0 && limit.burst > 0
    ? limit
    : refuse("RATE_LIMIT", "must be off, or requests per second/burst such as 100/200")
}

const listOf = (env: Environment, name: SettingName): ReadonlyArray<string> =>
  (read(env, name) ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

const egressOf = (env: Environment): ReadonlyArray<string> => {
  const blocks = listOf(env, "EGRESS_ALLOW")
  const wrong = blocks.find((block) => Result.isFailure(IpNetwork.fromString(block)))
  return wrong === undefined ? blocks : refuse("EGRESS_ALLOW", `"${wrong}" is not a CIDR block such as 10.0.0.0/8`)
}

const trainerEnvOf = (env: Environment): ReadonlyArray<string> => {
  const names = listOf(env, "TRAINER_ENV")
  const wrong = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) return refuse("TRAINER_ENV", `"${wrong}" is not the name of a variable`)
  const secret = names.find((name) => ownSecrets.has(name))
  return secret === undefined ? names : refuse("TRAINER_ENV", `${secret} is a secret of this server`)
}

/** A quote that is not closed would make one word of what was meant as two. */
const servingCommandOf = (env: Environment): string | null => {
  const value = read(env, "SERVING_COMMAND")
  return value !== null && /^(?:[^'"]|'[^']*'|"[^"]*")*$/.test(value) === false
    ? refuse("SERVING_COMMAND", "has a quote that is not closed")
    : value
}

/** Beside the embedded database; servers that share a Postgres share its blobs too, unless they share a folder. */
const blobsDirOf = (env: Environment, storage: StorageChoice, dataDir: string): string | null => {
  const value = read(env, "BLOBS_DIR")
  if (storage === "memory")
    return value && refuse("BLOBS_DIR", "cannot be set when STORAGE=memory, which keeps nothing")
  return value ?? (storage === "embedded" ? path.join(dataDir, "blobs") : null)
}

const daysOf = (env: Environment, name: SettingName): number | null => {
  const value = read(env, name)
  if (value === null) return null
  const days = Number(value)
  return /^\d{1,6}$/.test(value) && days > 0 ? days : refuse(name, "must be a whole number of days, at least 1")
}

const balanceLowOf = (env: Environment): number | null => {
  const value = read(env, "BALANCE_LOW_USD") ?? "5"
  if (value === "off") return null
  return /^\d{1,9}(\.\d{1,6})?$/.test(value) && Number(value) > 0
    ? Number(value)
    : refuse("BALANCE_LOW_USD", "must be off, or US dollars above 0 such as 5 or 0.50")
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** What this server cannot do yet is refused, so that nobody believes it is on. */
const unsupported = ["QUEUE_URL"] as const

/** `RAY_ADDRESS` is also a variable of Ray's own programs: without `EXECUTOR=ray` it is theirs. */
const rayOf = (env: Environment, dataDir: string): RaySettings => {
  const address = urlOf(env, "RAY_ADDRESS", ["http:", "https:"])
  const needed = (name: SettingName) => refuse(name, "must be set when EXECUTOR=ray")
  if (read(env, "TRAINER_COMMAND") === null) return needed("TRAINER_COMMAND")
  return {
    address: address ?? needed("RAY_ADDRESS"),
    sharedDir: path.resolve(read(env, "RAY_SHARED_DIR") ?? path.join(dataDir, "ray"))
  }
}

const journalOf = (env: Environment, storage: StorageChoice, dataDir: string): string | null => {
  const value = read(env, "JOURNAL_DIR")
  if (value === "off") return null
  return value ?? (storage === "memory" ? null : path.join(dataDir, "journal"))
}

/** As `name=value`, `name=value`, in the encoding of URLs. */
const headersOf = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    listOf(env, "OTEL_EXPORTER_OTLP_HEADERS").map((entry) => {
      const [, name, value] = /^([^=\s]+)=(.*)$/.exec(entry) ?? []
      try {
        if (name !== undefined && value !== undefined) return [name, decodeURIComponent(value)]
      } catch {
        // Not in the encoding of URLs.
      }
      return refuse("OTEL_EXPORTER_OTLP_HEADERS", "must be a comma-separated list of name=value")
    })
  )

/** Undefined: the usual share. */
const sampleRatioOf = (env: Environment): number | undefined => {
  const samplers = ["parentbased_traceidratio", "parentbased_always_on", "parentbased_always_off"] as const
  const sampler = oneOf(env, "OTEL_TRACES_SAMPLER", samplers, "parentbased_traceidratio")
  const value = read(env, "OTEL_TRACES_SAMPLER_ARG")
  if (sampler !== "parentbased_traceidratio") return sampler === "parentbased_always_on" ? 1 : 0
  if (value === null) return undefined
  return /^\d+(\.\d+)?$/.test(value) && Number(value) <= 1
    ? Number(value)
    : refuse("OTEL_TRACES_SAMPLER_ARG", "must be a share from 0 to 1, such as 0.05")
}

const telemetryOf = (env: Environment): TelemetryOptions | null => {
  const endpoint = urlOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"])
  const headers = headersOf(env)
  const sampleRatio = sampleRatioOf(env)
  const serviceName = read(env, "OTEL_SERVICE_NAME")
  if (endpoint === null) return null
  return {
    endpoint,
    headers,
    ...(serviceName === null ? {} : { serviceName }),
    ...(sampleRatio === undefined ? {} : { sampleRatio })
  }
}

/** A mistyped name would leave its setting at the default, and nobody would know. All of them are told at once. */
const refuseMistyped = (env: Environment): void => {
  const mistyped = Object.entries(env).flatMap(([name, value]) => {
    const meant = value?.trim() ? meantBy(name) : undefined
    return meant === undefined ? [] : [{ name, problem: `is no setting; did you mean ${meant}?` }]
  })
  const [first, ...others] = mistyped
  if (first === undefined) return
  throw new SettingError(
    first.name,
    [first.problem, ...others.map(({ name, problem }) => `${name}: ${problem}`)].join(" ")
  )
}

const parse = (env: Environment, isTerminal: boolean): Settings => {
  refuseMistyped(env)
  const unused = unsupported.find((name) => read(env, name) !== null)
  if (unused !== undefined) refuse(unused, "is not supported by this version")
  const databaseUrl = urlOf(env, "DATABASE_URL", ["postgres:", "postgresql:"])
  const storage = oneOf(
    env,
    "STORAGE",
    ["embedded", "memory", "postgres"],
    databaseUrl === null ? "embedded" : "postgres"
  )
  if (storage === "postgres" && databaseUrl === null) refuse("DATABASE_URL", "must be set when STORAGE=postgres")
  const dataDir = read(env, "DATA_DIR") ?? "./.data"
  const executor = oneOf(env, "EXECUTOR", ["process", "ray", "stub"], "process")
  const logLevel = oneOf(env, "LOG_LEVEL", ["debug", "info", "warn", "error"], "info")
  return {
    host: read(env, "HOST") ?? "127.0.0.1",
    port: portOf(env),
    connectionsMax: connectionsOf(env),
    keepAliveSeconds: keepAliveOf(env),
    databaseUrl,
    storage,
    dataDir,
    blobsDir: blobsDirOf(env, storage, dataDir),
    liveToken: tokenOf(env, "BOOTSTRAP_LIVE_TOKEN", true),
    testToken: tokenOf(env, "BOOTSTRAP_TEST_TOKEN", false),
    encryptionKeys: keysOf(env),
    publicUrl: publicUrlOf(env),
    rateLimit: rateLimitOf(env),
    egressAllow: egressOf(env),
    uploadRetentionDays: daysOf(env, "UPLOAD_RETENTION_DAYS"),
    callHistoryDays: daysOf(env, "CALL_HISTORY_DAYS"),
    eventHistoryDays: daysOf(env, "EVENT_HISTORY_DAYS"),
    conversationHistoryDays: daysOf(env, "CONVERSATION_HISTORY_DAYS"),
    billingEnforced: oneOf(env, "BILLING", ["off", "enforced"], "off") === "enforced",
    balanceLowUsd: balanceLowOf(env),
    executor,
    ray: executor === "ray" ? rayOf(env, dataDir) : null,
    trainerCommand: read(env, "TRAINER_COMMAND"),
    trainerEnv: trainerEnvOf(env),
    trainerRehearses: oneOf(env, "TRAINER_REHEARSALS", ["off", "on"], "off") === "on",
    servingCommand: servingCommandOf(env),
    modelsDir: read(env, "MODELS_DIR"),
    journalDir: journalOf(env, storage, dataDir),
    catalogFile: read(env, "CATALOG_FILE"),
    metrics: oneOf(env, "METRICS", ["on", "off"], "on") === "on",
    telemetry: telemetryOf(env),
    logLevel: levels[logLevel],
    logFormat: oneOf(env, "LOG_FORMAT", ["json", "pretty"], isTerminal ? "pretty" : "json")
  }
}

/** The settings, or the one sentence that says what is wrong. */
export const fromEnvironment = (env: Environment, isTerminal: boolean): Result.Result<Settings, string> => {
  try {
    return Result.succeed(parse(env, isTerminal))
  } catch (error) {
    if (error instanceof SettingError) return Result.fail(error.message)
    throw error
  }
}
