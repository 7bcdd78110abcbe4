/** The database of DATABASE_URL: whether it answers, lets its role work, and fits the keys and the clock of this machine. */
import * as Keys from "@limbeck/limbeck/Keys"
import * as DatabaseProbe from "@limbeck/storage-postgres/DatabaseProbe"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { rootMessage } from "../serve/Exits.ts"
import * as ServerKeys from "../serve/Keys.ts"
import type { Settings } from "../serve/Settings.ts"
import { type Finding, fault, good, skip } from "./Finding.ts"

const rights = ({ hasSchema, mayCreate, mayUse, readOnly }: DatabaseProbe.DatabaseSeen): Finding => {
  if (readOnly)
    return fault("rights", "DATABASE_URL: the database takes no writes; name the primary, or lift its default")
  if (hasSchema && !mayUse)
    return fault(
      "rights",
      "DATABASE_URL: the role may not use the schema limbeck; give it the schema, or its owner's role"
    )
  if (!hasSchema && !mayCreate)
    return fault("rights", "DATABASE_URL: the role may not make a schema; run: GRANT CREATE ON DATABASE … TO …")
  return good("rights", hasSchema ? "the role may use the schema limbeck" : "the role may make the schema limbeck")
}

/**
 * Leases, schedules and signatures tolerate less than a receiver's five minutes; synchronised clocks differ by less than
 * this.
 */
const clockMillisMax = 5_000

const clock = (here: number, there: number): Finding => {
  const seconds = ((here - there) / 1_000).toFixed(1)
  return Math.abs(here - there) > clockMillisMax
    ? fault("clock", `this machine's clock is ${seconds} s off the database's; set both by NTP`)
    : good("clock", `this machine's clock is ${seconds} s off the database's`)
}

const keys = Effect.fnUntraced(function* (settings: Settings, url: string) {
  const [probe] = yield* DatabaseProbe.documents({ url }, Keys.probeKind)
  if (probe === undefined) return skip("key", "no server has sealed anything yet")
  if (!ServerKeys.isThere(settings))
    return fault("key", "ENCRYPTION_KEY: is not set, and what is stored was sealed with one; give this server the same")
  return (yield* Keys.open(yield* ServerKeys.load(settings), probe))
    ? good("key", "ENCRYPTION_KEY opens what is stored")
    : fault("key", "ENCRYPTION_KEY: opens nothing that is stored; name the key of before, behind a new one: new,old")
})

const seen = Effect.fnUntraced(function* (settings: Settings, url: string) {
  const began = yield* Clock.currentTimeMillis
  const database = yield* DatabaseProbe.look({ url })
  const ended = yield* Clock.currentTimeMillis
  const findings = [
    good("database", `Postgres ${Math.floor(database.version / 10_000)} answers`),
    rights(database),
    clock((began + ended) / 2, database.clockMillis)
  ]
  return database.hasSchema ? [...findings, yield* keys(settings, url)] : findings
})

/** Changes nothing there, and migrates nothing. */
export const database = (settings: Settings): Promise<ReadonlyArray<Finding>> => {
  const { databaseUrl: url, storage } = settings
  if (storage !== "postgres" || url === null)
    return Promise.resolve([skip("database", `STORAGE=${storage}: the server starts its own`)])
  return Effect.runPromise(
    Effect.map(Effect.result(seen(settings, url)), (result) =>
      Result.isSuccess(result) ? result.success : [fault("database", `DATABASE_URL: ${rootMessage(result.failure)}`)]
    )
  )
}
