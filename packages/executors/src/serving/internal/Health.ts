/** Whether a serving process answers. */
import { once } from "node:events"
import * as http from "node:http"
import { createServer } from "node:net"
import type { ModelServer } from "@limbeck/distill/student/ModelServers"
import * as Effect from "effect/Effect"
import { ServingProcessLimits } from "./Limits.ts"

export const host = "127.0.0.1"

/** A free port. If another process takes it first, the serving process fails and another port is tried. */
export const freePort: Effect.Effect<number> = Effect.promise(async () => {
  const server = createServer().listen(0, host)
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
})

/** `refused`: nobody listens. `silent`: somebody does, and has not answered in time. */
type HealthProbe = number | "refused" | "silent"

const statusOf = (port: number, path: string, headers: http.OutgoingHttpHeaders): Effect.Effect<HealthProbe> =>
  Effect.callback<HealthProbe>((resume) => {
    const request = http.get({ host, port, path, headers, agent: false }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    })
    request.on("error", (error) =>
      resume(Effect.succeed("code" in error && error.code === "ECONNREFUSED" ? "refused" : "silent"))
    )
    return Effect.sync(() => request.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: ServingProcessLimits.healthMillis,
      orElse: () => Effect.succeed<HealthProbe>("silent")
    })
  )

const isGood = (found: HealthProbe): boolean => typeof found === "number" && found >= 200 && found < 300

/** `ready`: it can answer. */
export const probe = Effect.fnUntraced(function* (port: number, credentials: ModelServer["credentials"]) {
  const health = yield* statusOf(port, "/health", credentials)
  const found = health === 404 ? yield* statusOf(port, "/v1/models", credentials) : health
  if (isGood(found)) return "ready" as const
  return found === "refused" ? ("refused" as const) : ("not_ready" as const)
})
