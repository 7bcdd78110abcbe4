/** One of the processes of `limbeck serve`: what it is told by their parent, and what the two say to each other. */
import * as os from "node:os"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Environment } from "../Environment.ts"
import { Limits } from "../Limits.ts"
import type { Settings } from "../Settings.ts"

const Member = Schema.Struct({
  /** From 1; the process that takes a dead one's place has its number. */
  number: Schema.Int,
  /** How many there are. */
  of: Schema.Int,
  /** Where the parent listens for all of them. */
  port: Schema.Int,
  /** Of the embedded database, which runs beside the parent; null: there is none. */
  embeddedUrl: Schema.NullOr(Schema.String)
})
export type Member = typeof Member.Type

/** What a member says, and what its parent does. `asked` tells questions apart. */
export type Said =
  | { readonly kind: "listens" }
  | { readonly kind: "has connection"; readonly connection: number }
  | { readonly kind: "all metrics, please"; readonly asked: number }
  | { readonly kind: "my metrics"; readonly asked: number; readonly page: string }
export type Told =
  | { readonly kind: "your metrics, please"; readonly asked: number }
  | { readonly kind: "all metrics"; readonly asked: number; readonly page: string }
  /** With its socket. */
  | { readonly kind: "a connection"; readonly connection: number }
  /** Drain, and end; once more: at once. */
  | { readonly kind: "stop" }

/** Set by the parent for its children. */
const variable = "LIMBECK_PROCESS"

const fromText = Schema.decodeUnknownSync(Schema.fromJsonString(Member))

export const ofEnvironment = (env: Environment): Member | null => {
  const text = env[variable]
  return text === undefined ? null : fromText(text)
}

export const variables = (member: Member): Readonly<Record<string, string>> => ({ [variable]: JSON.stringify(member) })

/** How many processes are asked for, or the one sentence that says why there cannot be so many. */
export const countOf = (asked: string, { storage }: Settings): Result.Result<number, string> => {
  const count = asked === "auto" ? os.availableParallelism() : Number(asked)
  if (asked !== "auto" && !/^[1-9]\d{0,2}$/.test(asked)) {
    return Result.fail("--processes: must be a whole number from 1 to 999, or auto")
  }
  return count > 1 && storage === "memory"
    ? Result.fail(
        `--processes: ${count} cannot be with STORAGE=memory, which is in one process and unknown to the others`
      )
    : Result.succeed(count)
}

/** The settings of one of so many processes: what is bounded for all of them is divided. */
export const settingsOf = (settings: Settings, { of: processes }: Member): Settings => ({
  ...settings,
  connectionsMax: Math.ceil(settings.connectionsMax / processes)
})

/** Connections to Postgres of one process: together they have what one alone has, and each can work. */
export const poolOf = ({ of: processes }: Member): number =>
  Math.max(Limits.poolMin, Math.ceil(Limits.poolMax / processes))
