/** Postgres takes reads but no writes, as a managed one does while it fails over or when its storage is full. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"

const readOnlyMillis = 10_000

export const readOnly: Fault = {
  title: `Postgres read-only for ${readOnlyMillis / 1_000} s`,
  run: async ({ postgres }) => {
    await postgres.query("ALTER SYSTEM SET default_transaction_read_only = on")
    await postgres.query("SELECT pg_reload_conf()")
    await sleep(readOnlyMillis)
    await postgres.query("ALTER SYSTEM RESET default_transaction_read_only")
    await postgres.query("SELECT pg_reload_conf()")
  }
}
