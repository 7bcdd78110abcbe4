/** Every connection to Postgres is cut, twice a second. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"

export const terminate: Fault = {
  title: "All connections to Postgres cut, twice a second for 8 s",
  run: async ({ postgres }) => {
    for (let time = 0; time < 16; time++) {
      await postgres.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
      )
      await sleep(500)
    }
  }
}
