/**
 * Adapters in the process of their base model: loads each by name, and again after a restart. The requests are vLLM's,
 * which other servers support: `POST /v1/load_lora_adapter` and `POST /v1/unload_lora_adapter`.
 */
import * as http from "node:http"
import { type HeldServer, type ModelServer, ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as GivenUp from "./GivenUp.ts"
import { ServingProcessLimits as Limits } from "./Limits.ts"

const failed = (message: string) => new ModelServerFailed({ message })

/** The status of the answer; null where there is none in time. */
const post = (
  { baseUrl, credentials }: ModelServer,
  path: string,
  body: object,
  millis: number
): Effect.Effect<number | null> =>
  Effect.callback<number | null>((resume) => {
    const url = baseUrl + path
    const headers = { "content-type": "application/json", ...credentials }
    const request = http.request(url, { method: "POST", agent: false, headers }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? null))
    })
    request.on("error", () => resume(Effect.succeed(null)))
    request.end(JSON.stringify(body))
    return Effect.sync(() => request.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(null) }))

const unload = (server: ModelServer, name: string) =>
  post(server, "/unload_lora_adapter", { lora_name: name }, Limits.unloadMillis)

/** Unloads first, since an earlier response may have been lost. */
const load = (server: ModelServer, name: string, folder: string) =>
  Effect.andThen(
    unload(server, name),
    post(server, "/load_lora_adapter", { lora_name: name, lora_path: folder }, Limits.adapterMillis)
  )

const isGood = (status: number): boolean => status >= 200 && status < 300

/** The adapter in `folder`, as `name` of the process `base`, until the scope closes. */
export const hold = Effect.fnUntraced(function* (base: HeldServer, name: string, folder: string) {
  const givenUp = yield* Deferred.make<never, ModelServerFailed>()
  let loadedBy: ModelServer | null = null
  let refusals = 0

  /** The current process, if the adapter was loaded into it. */
  const now = () => {
    const running = base.now()
    return running === loadedBy ? running : null
  }

  const loaded = Effect.fnUntraced(function* (running: ModelServer) {
    const status = yield* load(running, name, folder)
    if (status !== null && isGood(status)) {
      loadedBy = running
      refusals = 0
    } else if (status !== null && ++refusals === Limits.adapterRefusalsMax) {
      return yield* failed(`the server of its base model does not load it: it answers ${status}`)
    }
  })

  const forever = Effect.gen(function* () {
    while (true) {
      const running = base.now()
      if (running !== null && running !== loadedBy) yield* loaded(running)
      // It fails with the reason.
      if (base.isGivenUp()) yield* base.ready
      yield* Effect.sleep(Limits.startPollMillis)
    }
  }).pipe(Effect.catchTag("ModelServerFailed", GivenUp.tell(name, givenUp)))
  yield* Effect.addFinalizer(() => {
    const running = now()
    return running === null ? Effect.void : unload(running, name)
  })
  yield* Effect.forkScoped(forever)

  const answering = Effect.gen(function* () {
    while (true) {
      const running = now()
      if (running !== null) return running
      yield* Effect.sleep(Limits.startPollMillis)
    }
  })
  const held: HeldServer = {
    now,
    ready: Effect.raceFirst(answering, Deferred.await(givenUp)),
    isGivenUp: () => Deferred.isDoneUnsafe(givenUp)
  }
  return held
})
