/**
 * Every setting of the standalone server, one row each: the rows of the program, and those of the library that have a variable.
 * The parser of the environment, the names that a typing mistake is compared with, the variables that hold secrets and the table of
 * docs/configuration.md follow from the rows.
 */

import { parseKey } from "@limbeck/core/secrets/Secrets"
import * as Notation from "@limbeck/core/settings/Notation"
import { type ProgramSetting, programSetting, type Setting } from "@limbeck/core/settings/Setting"
import * as TokenSecret from "@limbeck/core/tokens/TokenSecret"
import { settingTable } from "@limbeck/server/Settings"
import * as IpNetwork from "effect/net/IpNetwork"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Limits } from "./Limits.ts"

const row = programSetting

export type StorageChoice = "embedded" | "memory" | "postgres"
type Sampler = "parentbased_traceidratio" | "parentbased_always_on" | "parentbased_always_off"

const optionalText = Notation.optional(Notation.text)

const tokenNotation = (livemode: boolean) =>
  Notation.optional(
    Notation.fromParser(
      (text) => (TokenSecret.isBootstrap(livemode, text) ? text : undefined),
      `must be ${TokenSecret.prefix(livemode)} and 32 or more of 0-9, A-Z, a-z`
    )
  )

const bootstrapToken = (name: string, livemode: boolean) =>
  row<string | null>({
    name,
    initial: null,
    notation: tokenNotation(livemode),
    isSecret: true,
    shown: "made and printed once, at the first start",
    meaning: "full-access token of the workspace `default`"
  })

const keysNotation = Notation.optional(
  Notation.fromParser((text): ReadonlyArray<Redacted.Redacted<Uint8Array>> | undefined => {
    const keys = text.split(",").map(parseKey)
    return keys.every((key) => key !== undefined) ? keys : undefined
  }, "must be 32 bytes in base64, or a comma-separated list of such")
)

/** Paths are appended to it. */
const publicUrlNotation: Notation.Notation<string> = {
  ...Notation.url("http:", "https:"),
  read: (text) =>
    Result.flatMap(Notation.url("http:", "https:").read(text), (url) =>
      /[?#]/.test(url) ? Result.fail("must have neither a query nor a fragment") : Result.succeed(url)
    )
}

const networks = Notation.list((blocks) => {
  const wrong = blocks.find((block) => Result.isFailure(IpNetwork.fromString(block)))
  return wrong === undefined ? undefined : `"${wrong}" is not a CIDR block such as 10.0.0.0/8`
})

const variableNames = Notation.list((names) => {
  const wrong = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) return `"${wrong}" is not the name of a variable`
  const secret = names.find((name) => secretNames.has(name))
  return secret === undefined ? undefined : `${secret} is a secret of this server`
})

/** A quote without an end would join words that the operator meant as two. */
const commandNotation = Notation.optional(
  Notation.fromParser(
    (text) => (/^(?:[^'"]|'[^']*'|"[^"]*")*$/.test(text) ? text : undefined),
    "has a quote that is not closed"
  )
)

/** As `name=value`, `name=value`, in the encoding of URLs. */
const headersNotation: Notation.Notation<Readonly<Record<string, string>>> = {
  read: (text) => {
    const entries = text.split(",").map((entry) => /^([^=\s]+)=(.*)$/.exec(entry.trim()))
    try {
      if (entries.every((entry) => entry !== null)) {
        return Result.succeed(
          Object.fromEntries(entries.map(([, name = "", value = ""]) => [name, decodeURIComponent(value)]))
        )
      }
    } catch {
      // Not in the encoding of URLs.
    }
    return Result.fail("must be a comma-separated list of name=value")
  },
  show: () => "none"
}

/** An operator who sets an unsupported setting gets an error at the start. */
const unsupported: Notation.Notation<null> = {
  read: () => Result.fail("is not supported by this version"),
  show: () => "none"
}

/** The rows of the program, in the order of the documentation. */
export const programTable = {
  host: row<string>({
    name: "HOST",
    initial: "127.0.0.1",
    notation: Notation.text,
    meaning: "the address to listen on"
  }),
  port: row<number>({
    name: "PORT",
    initial: 8080,
    notation: Notation.wholeNumber(0, 65_535),
    meaning: "`0` takes a free port, named in the line `Limbeck listens on …`"
  }),
  connectionsMax: row<number>({
    name: "MAX_CONNECTIONS",
    initial: Limits.connectionsMax,
    notation: Notation.wholeNumber(1, 999_999),
    unit: "connections",
    meaning: "open connections at a time; a request on a further connection is a 503"
  }),
  keepAliveSeconds: row<number>({
    name: "KEEP_ALIVE_SECONDS",
    initial: Limits.keepAliveSeconds,
    notation: Notation.wholeNumber(1, 9_999, "seconds"),
    unit: "seconds",
    meaning: "how long an idle connection stays open; [below](#idle-connections)"
  }),
  storage: row<StorageChoice | null>({
    name: "STORAGE",
    initial: null,
    notation: Notation.oneOf<StorageChoice | null>({ embedded: "embedded", memory: "memory", postgres: "postgres" }),
    shown: "`embedded`; `postgres` when `DATABASE_URL` is set",
    meaning: "`embedded`: a private Postgres in `DATA_DIR`; `memory`: lost at the stop"
  }),
  databaseUrl: row<string | null>({
    name: "DATABASE_URL",
    initial: null,
    notation: Notation.optional(Notation.url("postgres:", "postgresql:")),
    isSecret: true,
    meaning: "`postgres://…`; several servers may share a database"
  }),
  dataDir: row<string>({
    name: "DATA_DIR",
    initial: "./.data",
    notation: Notation.text,
    meaning: "the embedded database, blobs, journal, encryption key, trainers' files"
  }),
  blobsDir: row<string | null>({
    name: "BLOBS_DIR",
    initial: null,
    notation: optionalText,
    shown: "`DATA_DIR/blobs` when embedded; else the storage",
    meaning: "a folder for contents, common to all servers on the database"
  }),
  journalDir: row<string | null>({
    name: "JOURNAL_DIR",
    initial: null,
    notation: optionalText,
    shown: "`DATA_DIR/journal`; none with `STORAGE=memory`",
    meaning: "where captured calls wait for the storage; `off`: in memory"
  }),
  liveToken: bootstrapToken("BOOTSTRAP_LIVE_TOKEN", true),
  testToken: bootstrapToken("BOOTSTRAP_TEST_TOKEN", false),
  encryptionKeys: row<ReadonlyArray<Redacted.Redacted<Uint8Array>> | null>({
    name: "ENCRYPTION_KEY",
    initial: null,
    notation: keysNotation,
    isSecret: true,
    shown: "made in `DATA_DIR`, readable by its owner only",
    meaning: "keys of 32 bytes in base64, with commas between"
  }),
  publicUrl: row<string | null>({
    name: "PUBLIC_URL",
    initial: null,
    notation: Notation.optional(publicUrlNotation),
    shown: "the address to listen on",
    meaning: "the server's URL for clients; in upload URLs and the OpenAPI document"
  }),
  egressAllow: row<ReadonlyArray<string>>({
    name: "EGRESS_ALLOW",
    initial: [],
    notation: networks,
    meaning: "private networks that outbound requests may reach"
  }),
  executor: row<"process" | "ray" | "stub">({
    name: "EXECUTOR",
    initial: "process",
    notation: Notation.oneOf({ process: "process", ray: "ray", stub: "stub" }),
    meaning: "the executor of language models; see below"
  }),
  trainerCommand: row<string | null>({
    name: "TRAINER_COMMAND",
    initial: null,
    notation: optionalText,
    meaning: "for `/bin/sh`: the trainer of the `process` executor, once per stage"
  }),
  trainerEnv: row<ReadonlyArray<string>>({
    name: "TRAINER_ENV",
    initial: [],
    notation: variableNames,
    meaning: "further variables for the trainer, with commas between; see below"
  }),
  trainerRehearses: row<boolean>({
    name: "TRAINER_REHEARSALS",
    initial: false,
    notation: Notation.oneOf({ off: false, on: true }),
    meaning: "`on`: a trainer that supports `rehearsal` takes two steps in rehearsals"
  }),
  // Ray's own programs read it too: without `EXECUTOR=ray` its form does not matter.
  rayAddress: row<string | null>({
    name: "RAY_ADDRESS",
    initial: null,
    notation: optionalText,
    meaning: "with `EXECUTOR=ray`: the cluster's dashboard, such as `http://head:8265`"
  }),
  raySharedDir: row<string | null>({
    name: "RAY_SHARED_DIR",
    initial: null,
    notation: optionalText,
    shown: "`DATA_DIR/ray`",
    meaning: "with `EXECUTOR=ray`: a folder common to every machine of the cluster"
  }),
  servingCommand: row<string | null>({
    name: "SERVING_COMMAND",
    initial: null,
    notation: commandNotation,
    meaning: "the program that serves published students of trainers; see below"
  }),
  modelsDir: row<string | null>({
    name: "MODELS_DIR",
    initial: null,
    notation: optionalText,
    meaning: "the folder of models on this machine; see below"
  }),
  staticEmbeddings: row<string | null>({
    name: "STATIC_EMBEDDINGS",
    initial: null,
    notation: optionalText,
    meaning: "a folder of `MODELS_DIR`: static embeddings for builtin students"
  }),
  catalogFile: row<string | null>({
    name: "CATALOG_FILE",
    initial: null,
    notation: optionalText,
    meaning: "students, compute profiles and prices, as JSON; see below"
  }),
  pricesFile: row<string | null>({
    name: "PRICES_FILE",
    initial: null,
    notation: optionalText,
    shown: "prices of 2026-11-27 for `byok` sources",
    meaning: "prices of models without a price at their source, as JSON; see below"
  }),
  metrics: row<boolean>({
    name: "METRICS",
    initial: true,
    notation: Notation.oneOf({ on: true, off: false }),
    meaning: "Prometheus text at `GET /metrics`, without credentials; or `off`"
  }),
  // Read by CompileCache.ts, before this table is loaded.
  compileCache: row<boolean>({
    name: "COMPILE_CACHE",
    initial: true,
    notation: Notation.oneOf({ on: true, off: false }),
    meaning: "a cache of the compiled program; [below](#compiled-code)"
  }),
  telemetryEndpoint: row<string | null>({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    initial: null,
    notation: Notation.optional(Notation.url("http:", "https:")),
    meaning: "an OpenTelemetry collector; see [Traces](operate/telemetry.md)"
  }),
  telemetryHeaders: row<Readonly<Record<string, string>>>({
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    initial: {},
    notation: headersNotation,
    isSecret: true,
    meaning: "headers for the collector: `name=value`, with commas between"
  }),
  telemetryService: row<string | null>({
    name: "OTEL_SERVICE_NAME",
    initial: null,
    notation: optionalText,
    shown: "`limbeck`",
    meaning: "the service name of the server"
  }),
  telemetrySampler: row<Sampler>({
    name: "OTEL_TRACES_SAMPLER",
    initial: "parentbased_traceidratio",
    notation: Notation.oneOf({
      parentbased_traceidratio: "parentbased_traceidratio",
      parentbased_always_on: "parentbased_always_on",
      parentbased_always_off: "parentbased_always_off"
    }),
    meaning: "or `parentbased_always_on`, `parentbased_always_off`"
  }),
  telemetryShare: row<string | null>({
    name: "OTEL_TRACES_SAMPLER_ARG",
    initial: null,
    notation: optionalText,
    // `defaultSampleRatio` of the library, whose module would load all of OpenTelemetry; a test compares them.
    shown: "`0.05`",
    meaning: "the traced share of requests without a `traceparent`"
  }),
  logLevel: row<"Debug" | "Info" | "Warn" | "Error">({
    name: "LOG_LEVEL",
    initial: "Info",
    notation: Notation.oneOf({ debug: "Debug", info: "Info", warn: "Warn", error: "Error" }),
    meaning: "`debug`, `info`, `warn`, `error`"
  }),
  logFormat: row<"json" | "pretty" | null>({
    name: "LOG_FORMAT",
    initial: null,
    notation: Notation.oneOf<"json" | "pretty" | null>({ json: "json", pretty: "pretty" }),
    shown: "`pretty` on a terminal, else `json`",
    meaning: "`json`: one object per line"
  }),
  queueUrl: row<null>({
    name: "QUEUE_URL",
    initial: null,
    notation: unsupported,
    isSecret: true,
    meaning: "planned, and refused"
  })
}

type ValueOf<Row> = Row extends ProgramSetting<infer Value> ? Value : never

/** The value of each row of the program. */
export type ProgramValues = { readonly [Name in keyof typeof programTable]: ValueOf<(typeof programTable)[Name]> }

/** The settings of the library that have a variable, by their names in `Limbeck.make`. */
export const libraryTable: { readonly [name: string]: ProgramSetting<unknown> } = Object.fromEntries(
  (Object.entries(settingTable) as ReadonlyArray<[string, Setting<unknown>]>).flatMap(
    ([setting, { initial, variable }]) => (variable === undefined ? [] : [[setting, { ...variable, initial }] as const])
  )
)

/** All rows, in the order of the documentation. */
export const rows = [...Object.values(programTable), ...Object.values(libraryTable)] as ReadonlyArray<
  ProgramSetting<unknown>
>

/** Programs that this server starts never get these, not even by name. */
const secretNames: ReadonlySet<string> = new Set(
  rows.filter(({ isSecret }) => isSecret === true).map(({ name }) => name)
)
