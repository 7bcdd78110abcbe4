/** Whether a Ray cluster answers. */
import * as Effect from "effect/Effect"
import * as RayJobs from "./internal/RayJobs.ts"

/** The version of Ray behind an address such as `http://head:8265`; the failure is a reason for a person. */
export const version = (address: string): Effect.Effect<string, string> =>
  Effect.mapError(RayJobs.make(address).version, ({ message, status }) =>
    status === null ? message : `${status} ${message}`
  )
