/**
 * The students and compute profiles in a host's settings. The catalog always contains the builtin students and the
 * profile of this machine; an entry with a known id overrides only the members it names.
 */
import { fromUsd } from "@limbeck/core/money/Money"
import * as Characters from "@limbeck/core/text/Characters"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { DistillLimits } from "../Limits.ts"
import * as ComputeProfile from "./ComputeProfile.ts"
import { namedStages } from "./Recipe.ts"
import * as StudentBase from "./StudentBase.ts"

const text = Schema.NonEmptyString.check(Characters.isMaxCharacters(DistillLimits.nameMax))
const positive = Schema.Finite.check(Schema.isGreaterThan(0))
const notNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const positiveInt = Schema.Int.check(Schema.isGreaterThan(0))
const someOf = <const A extends string>(literals: ReadonlyArray<A>) =>
  Schema.Array(Schema.Literals(literals)).check(Schema.isMinLength(1))

const Student = Schema.Struct({
  id: text,
  /** Number of weights. */
  parameters: Schema.optionalKey(positiveInt),
  /** Tokens. */
  context_length: Schema.optionalKey(positiveInt),
  license: Schema.optionalKey(text),
  stages: Schema.optionalKey(someOf(namedStages)),
  cases: Schema.optionalKey(someOf(StudentBase.RunCase.literals))
})

/** The cluster resources of a stage; `memory` in bytes. */
const Cluster = Schema.Struct({
  cpus: Schema.optionalKey(positive),
  gpus: Schema.optionalKey(notNegative),
  memory: Schema.optionalKey(positiveInt),
  resources: Schema.optionalKey(Schema.Record(text, positive))
})

const Profile = Schema.Struct({
  id: text,
  machine: Schema.optionalKey(text),
  gpu: Schema.optionalKey(text),
  spot: Schema.optionalKey(Schema.Boolean),
  /** US dollars. */
  price_per_gpu_second: Schema.optionalKey(positive),
  /** FLOP/s of dense bf16 arithmetic. */
  peak_flops: Schema.optionalKey(positive),
  /** Bytes per second. */
  memory_bandwidth: Schema.optionalKey(positive),
  cluster: Schema.optionalKey(Cluster)
})

/** A given list replaces the default list. */
export const CatalogSettings = Schema.Struct({
  students: Schema.optionalKey(Schema.Array(Student)),
  compute_profiles: Schema.optionalKey(Schema.Array(Profile))
})
export type CatalogSettings = typeof CatalogSettings.Type

export interface Entries {
  readonly students: ReadonlyArray<StudentBase.StudentBase>
  readonly profiles: ReadonlyArray<ComputeProfile.ComputeProfile>
}

/** A failure is one line that names the path. */
type Validation<A> = Result.Result<A, string>

const decode = Schema.decodeUnknownResult(CatalogSettings, { onExcessProperty: "error" })
const issueLine = SchemaIssue.makeFormatterDefault()

const twice = (entries: ReadonlyArray<{ readonly id: string }>, list: string): string | undefined => {
  const index = entries.findIndex(({ id }, at) => entries.findIndex((other) => other.id === id) !== at)
  return index < 0 ? undefined : `${list}[${index}].id: ${entries[index]?.id} is there twice`
}

const missing = (at: string, field: string): Validation<never> =>
  Result.fail(`${at}.${field}: is needed, since ${at}.id is none that we know`)

const studentOf = (entry: typeof Student.Type, at: string): Validation<StudentBase.StudentBase> => {
  const known = StudentBase.standard.find(({ id }) => id === entry.id)
  if (known?.engine === "builtin") return Result.fail(`${at}.id: ${entry.id} is there in any case, as it is`)
  const parameters = entry.parameters ?? known?.parameters ?? undefined
  const contextLength = entry.context_length ?? known?.contextLength
  const license = entry.license ?? known?.license
  if (parameters === undefined) return missing(at, "parameters")
  if (contextLength === undefined) return missing(at, "context_length")
  if (license === undefined) return missing(at, "license")
  return Result.succeed({
    id: entry.id,
    engine: "llm",
    parameters,
    contextLength,
    stages: entry.stages ?? StudentBase.llmStages,
    cases: entry.cases ?? StudentBase.RunCase.literals,
    license
  })
}

const priceOf = (usd: number | undefined, at: string): Validation<number | undefined> => {
  const micros = usd === undefined ? undefined : fromUsd(usd)
  return usd !== undefined && micros === undefined
    ? Result.fail(`${at}.price_per_gpu_second: is in US dollars, with at most 6 decimals`)
    : Result.succeed(micros)
}

const clusterOf = ({ cluster }: typeof Profile.Type): Pick<ComputeProfile.ComputeProfile, "cluster"> => {
  if (cluster === undefined) return {}
  const { memory, ...share } = cluster
  return { cluster: { ...share, ...(memory === undefined ? {} : { memoryBytes: memory }) } }
}

const ofLocal: ReadonlyArray<string> = ["id", "price_per_gpu_second", "cluster"]

const localOf = (entry: typeof Profile.Type, price: number | undefined, at: string) => {
  const other = Object.keys(entry).find((name) => !ofLocal.includes(name))
  if (other !== undefined) {
    return Result.fail(
      `${at}.${other}: this machine is what it is; only its price can be set, and its share of a cluster`
    )
  }
  const priced = price === undefined ? {} : { microsPerGpuSecond: price }
  return Result.succeed({ ...ComputeProfile.local, ...priced, ...clusterOf(entry) })
}

const profileOf = (entry: typeof Profile.Type, at: string): Validation<ComputeProfile.ComputeProfile> =>
  Result.flatMap(priceOf(entry.price_per_gpu_second, at), (price): Validation<ComputeProfile.ComputeProfile> => {
    if (entry.id === ComputeProfile.local.id) return localOf(entry, price, at)
    const known = ComputeProfile.standard.find(({ id }) => id === entry.id)
    const machine = entry.machine ?? known?.machine
    const gpu = entry.gpu ?? known?.gpu ?? undefined
    const microsPerGpuSecond = price ?? known?.microsPerGpuSecond
    const peakFlops = entry.peak_flops ?? known?.peakFlops
    const memoryBandwidth = entry.memory_bandwidth ?? known?.memoryBandwidth
    if (machine === undefined) return missing(at, "machine")
    if (gpu === undefined) return missing(at, "gpu")
    if (microsPerGpuSecond === undefined) return missing(at, "price_per_gpu_second")
    if (peakFlops === undefined) return missing(at, "peak_flops")
    if (memoryBandwidth === undefined) return missing(at, "memory_bandwidth")
    const spot = entry.spot ?? known?.spot ?? false
    const figures = { microsPerGpuSecond, peakFlops, memoryBandwidth }
    return Result.succeed({ id: entry.id, machine, gpu, spot, ...figures, ...clusterOf(entry) })
  })

const allOf = <A, B>(
  list: string,
  entries: ReadonlyArray<A>,
  read: (entry: A, at: string) => Validation<B>
): Validation<ReadonlyArray<B>> => Result.all(entries.map((entry, index) => read(entry, `${list}[${index}]`)))

const studentsOf = (given: NonNullable<CatalogSettings["students"]>): Validation<Entries["students"]> => {
  const repeated = twice(given, "students")
  if (repeated !== undefined) return Result.fail(repeated)
  return Result.map(allOf("students", given, studentOf), (students) => [
    StudentBase.builtin,
    StudentBase.embedding,
    ...students
  ])
}

const profilesOf = (given: NonNullable<CatalogSettings["compute_profiles"]>): Validation<Entries["profiles"]> => {
  const repeated = twice(given, "compute_profiles")
  if (repeated !== undefined) return Result.fail(repeated)
  return Result.flatMap(allOf("compute_profiles", given, profileOf), (profiles) => {
    const isLocal = ({ id }: ComputeProfile.ComputeProfile) => id === ComputeProfile.local.id
    const others = profiles.filter((profile) => !isLocal(profile))
    return others.length === 0
      ? Result.fail("compute_profiles: names no profile beside local; at least one is needed")
      : Result.succeed([profiles.find(isLocal) ?? ComputeProfile.local, ...others])
  })
}

/** The catalog from the settings, in their order, or the first mistake. */
export const read = (settings: unknown): Validation<Entries> =>
  Result.flatMap(
    Result.mapError(decode(settings), ({ issue }) => issueLine(issue).split("\n").join(" ").replace(/\s+/g, " ")),
    ({ compute_profiles: profiles, students }) =>
      Result.all({
        students: students === undefined ? Result.succeed(StudentBase.standard) : studentsOf(students),
        profiles: profiles === undefined ? Result.succeed(ComputeProfile.standard) : profilesOf(profiles)
      })
  )
