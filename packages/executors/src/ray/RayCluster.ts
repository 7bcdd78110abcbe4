/** Whether a Ray cluster answers. */
import * as Effect from "effect/Effect"
import * as RayJobs from "./internal/RayJobs.ts"

/** The version of Ray behind an address such as `http://head:8265`; fails with a readable reason. */
export const version = (address: string): Effect.Effect<string, string> =>
  Effect.mapError(RayJobs.make(address).version, ({ message, status }) =>
    status === null ? message : `${status} ${message}`
  )
