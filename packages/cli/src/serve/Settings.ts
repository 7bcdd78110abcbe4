/** The settings of the standalone server, from the environment (contract 13). A wrong setting is one clear sentence. */

import * as path from "node:path"
import * as Notation from "@limbeck/core/settings/Notation"
import { valuesOf } from "@limbeck/core/settings/Setting"
import type { TelemetryOptions } from "@limbeck/limbeck/Assembly"
import type { GivenSettings } from "@limbeck/server/Settings"
import * as Result from "effect/Result"
import type { Environment } from "./Environment.ts"
import { closestSetting } from "./SettingNames.ts"
import { libraryTable, type ProgramValues, programTable, type StorageChoice } from "./SettingTable.ts"

export interface RaySettings {
  /** The address of the cluster's dashboard, which serves the job API. */
  readonly address: string
  /** The server and every machine of the cluster reach it under this path. */
  readonly sharedDir: string
}

/** The members that follow from others beside their own row. */
interface ResolvedSettings {
  readonly storage: StorageChoice
  /** Null: in the storage. */
  readonly blobsDir: string | null
  /** Where captured calls wait for the storage; null: in memory. */
  readonly journalDir: string | null
  /** The cluster that `EXECUTOR=ray` names; else null. */
  readonly ray: RaySettings | null
  /** Where traces and metrics are sent; null: nowhere, and then nothing is traced. */
  readonly telemetry: TelemetryOptions | null
  readonly logFormat: "json" | "pretty"
  /** The settings of the library. */
  readonly server: GivenSettings
}

/** Rows whose values `ResolvedSettings` takes the place of, or which are read before. */
type Raw = "compileCache" | "queueUrl" | "rayAddress" | "raySharedDir" | `telemetry${string}`

export interface Settings extends ResolvedSettings, Omit<ProgramValues, keyof ResolvedSettings | Raw> {}

type Validation<A> = Result.Result<A, string>

const wrong = ({ name }: { readonly name: string }, problem: string) => Result.fail(`${name}: ${problem}`)

/** Reads a text by a notation that holds only under another setting. */
const readAs = <A>(row: { readonly name: string }, notation: Notation.Notation<A>, text: string): Validation<A> =>
  Result.mapError(notation.read(text), (problem) => `${row.name}: ${problem}`)

const storageOf = ({ databaseUrl, storage }: ProgramValues): Validation<StorageChoice> => {
  if (storage === "postgres" && databaseUrl === null) {
    return wrong(programTable.databaseUrl, "must be set when STORAGE=postgres")
  }
  return Result.succeed(storage ?? (databaseUrl === null ? "embedded" : "postgres"))
}

/** Beside the embedded database; servers that share a Postgres share its blobs too, unless they share a folder. */
const blobsDirOf = ({ blobsDir, dataDir }: ProgramValues, storage: StorageChoice): Validation<string | null> => {
  if (storage === "memory" && blobsDir !== null) {
    return wrong(programTable.blobsDir, "cannot be set when STORAGE=memory, which keeps nothing")
  }
  return Result.succeed(blobsDir ?? (storage === "embedded" ? path.join(dataDir, "blobs") : null))
}

const journalDirOf = ({ dataDir, journalDir }: ProgramValues, storage: StorageChoice): string | null => {
  if (journalDir === "off") return null
  return journalDir ?? (storage === "memory" ? null : path.join(dataDir, "journal"))
}

const rayOf = ({ dataDir, executor, rayAddress, raySharedDir, trainerCommand }: ProgramValues) =>
  Result.gen(function* () {
    if (executor !== "ray") return null
    const needed = "must be set when EXECUTOR=ray"
    if (rayAddress === null) return yield* wrong(programTable.rayAddress, needed)
    const address = yield* readAs(programTable.rayAddress, Notation.url("http:", "https:"), rayAddress)
    if (trainerCommand === null) return yield* wrong(programTable.trainerCommand, needed)
    return { address, sharedDir: path.resolve(raySharedDir ?? path.join(dataDir, "ray")) }
  })

const share = Notation.fromParser(
  (text) => (/^\d+(\.\d+)?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  "must be a share from 0 to 1, such as 0.05"
)

/** Undefined: the usual share. */
const sampleRatioOf = ({ telemetrySampler, telemetryShare }: ProgramValues): Validation<number | undefined> => {
  if (telemetrySampler !== "parentbased_traceidratio") {
    return Result.succeed(telemetrySampler === "parentbased_always_on" ? 1 : 0)
  }
  return telemetryShare === null
    ? Result.succeed(undefined)
    : readAs(programTable.telemetryShare, share, telemetryShare)
}

const telemetryOf = (values: ProgramValues): Validation<TelemetryOptions | null> =>
  Result.map(sampleRatioOf(values), (sampleRatio) => {
    const { telemetryEndpoint: endpoint, telemetryHeaders: headers, telemetryService: serviceName } = values
    if (endpoint === null) return null
    return {
      endpoint,
      headers,
      ...(serviceName === null ? {} : { serviceName }),
      ...(sampleRatio === undefined ? {} : { sampleRatio })
    }
  })

const settingsOf = (values: ProgramValues, server: GivenSettings, isTerminal: boolean): Validation<Settings> =>
  Result.gen(function* () {
    const { compileCache, queueUrl, rayAddress, raySharedDir, ...others } = values
    const { telemetryEndpoint, telemetryHeaders, telemetrySampler, telemetryService, telemetryShare, ...own } = others
    const storage = yield* storageOf(values)
    return {
      ...own,
      storage,
      blobsDir: yield* blobsDirOf(values, storage),
      journalDir: journalDirOf(values, storage),
      ray: yield* rayOf(values),
      telemetry: yield* telemetryOf(values),
      logFormat: values.logFormat ?? (isTerminal ? "pretty" : "json"),
      server
    }
  })

/** A mistyped name would leave its setting at the default without a sign. One sentence names all of them. */
const mistypedIn = (env: Environment): string | undefined => {
  const mistyped = Object.keys(env).flatMap((name) => {
    const meant = closestSetting(name)
    return meant === undefined ? [] : [`${name}: is no setting; did you mean ${meant}?`]
  })
  return mistyped.length === 0 ? undefined : mistyped.join(" ")
}

/** An empty value counts as none. */
const trimmed = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const text = value?.trim() ?? ""
      return text === "" ? [] : [[name, text]]
    })
  )

/** The settings, or a sentence with the first fault. */
export const fromEnvironment = (env: Environment, isTerminal: boolean): Validation<Settings> =>
  Result.gen(function* () {
    const given = trimmed(env)
    const mistyped = mistypedIn(given)
    if (mistyped !== undefined) return yield* Result.fail(mistyped)
    const values = yield* valuesOf<ProgramValues>(programTable, given)
    const server: GivenSettings = yield* valuesOf(libraryTable, given)
    return yield* settingsOf(values, server, isTerminal)
  })
