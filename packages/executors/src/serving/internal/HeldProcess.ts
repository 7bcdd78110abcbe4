/**
 * One process of SERVING_COMMAND, from its first start until its scope closes.
 *
 *   start ──▶ ask for its health ── answers ──▶ up ──┐
 *    ▲  ▲            │ ends                          │ ends, or refuses connections
 *    │  └── backoff ◀┴───────────────────────────────┘
 *    never answered in three starts, or for ten minutes ──▶ given up
 */
import { randomBytes } from "node:crypto"
import path from "node:path"
import { type HeldServer, type ModelServer, ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { format } from "effect/Formatter"
import * as Latch from "effect/Latch"
import * as CommandLine from "./CommandLine.ts"
import * as GivenUp from "./GivenUp.ts"
import * as Health from "./Health.ts"
import * as Launch from "./Launch.ts"
import { ServingProcessLimits as Limits } from "./Limits.ts"
import * as RestartSchedule from "./RestartSchedule.ts"
import * as ServedPorts from "./ServedPorts.ts"

/** What is started. */
export interface Program {
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
  /** The working folder, which also holds the log. */
  readonly folder: string
  /** Of its log. */
  readonly name: string
  /** The model name in requests. */
  readonly model: string
  /** The files that it serves. */
  readonly artifact: string
}

const failed = (message: string) => new ModelServerFailed({ message })

/** Ends when it has ended, or nobody answers any more. `up` is told of once it answers. */
const watch = Effect.fnUntraced(function* (port: number, { credentials }: ModelServer, up: () => void) {
  while ((yield* Health.probe(port, credentials)) !== "ready") yield* Effect.sleep(Limits.startPollMillis)
  up()
  let refusals = 0
  while (refusals < Limits.refusalsMax) {
    yield* Effect.sleep(Limits.watchMillis)
    refusals = (yield* Health.probe(port, credentials)) === "refused" ? refusals + 1 : 0
  }
})

/** Random bytes of a process's bearer key. */
const keyBytes = 32

const launched = ({ artifact, command, environment, folder, model, name }: Program, port: number, apiKey: string) => {
  const values = { artifact, base: artifact, port: String(port), host: Health.host, model, api_key: apiKey }
  return Launch.start(CommandLine.fillCommand(command, values), {
    cwd: folder,
    log: path.join(folder, `${name}.log`),
    environment: {
      ...environment,
      LIMBECK_ARTIFACT_DIR: artifact,
      LIMBECK_PORT: values.port,
      LIMBECK_HOST: values.host,
      LIMBECK_MODEL: model,
      LIMBECK_API_KEY: apiKey,
      // The same for vLLM and llama.cpp, which read it from these.
      VLLM_API_KEY: apiKey,
      LLAMA_API_KEY: apiKey
    }
  })
}

export const hold = Effect.fnUntraced(function* (program: Program) {
  const isUp = Latch.makeUnsafe(false)
  const givenUp = yield* Deferred.make<never, ModelServerFailed>()
  const { name: student } = program
  let running: ModelServer | null = null
  let hasAnswered = false
  let ends = 0

  const down = Effect.sync(() => {
    running = null
    Latch.closeUnsafe(isUp)
  })

  /** One process, from its start to its end. */
  const once = Effect.gen(function* () {
    const port = yield* ServedPorts.claimPort(program.folder)
    const apiKey = randomBytes(keyBytes).toString("base64url")
    const server: ModelServer = {
      baseUrl: `http://${Health.host}:${port}/v1`,
      credentials: { authorization: `Bearer ${apiKey}` }
    }
    const process = yield* launched(program, port, apiKey)
    yield* Effect.annotateLogs(Effect.logInfo("student_server_started"), { student, port })
    const up = () => {
      running = server
      hasAnswered = true
      ends = 0
      Latch.openUnsafe(isUp)
    }
    const code = yield* Effect.raceFirst(process.exited, Effect.as(watch(port, server, up), null))
    yield* down
    yield* Effect.annotateLogs(Effect.logWarning("student_server_ended"), { student, code })
    return code
  }).pipe(Effect.scoped)

  /** Limits the whole time until the first response. */
  const firstUntil = (until: number) =>
    Effect.gen(function* () {
      yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
      return yield* hasAnswered ? Effect.never : failed("it does not answer")
    })

  const forever = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + Limits.startMillisMax
    while (true) {
      const code = yield* hasAnswered ? once : Effect.raceFirst(once, firstUntil(until))
      ends++
      if (!hasAnswered && ends >= Limits.startsMax) {
        return yield* failed(`SERVING_COMMAND ended ${ends} times before it answered, last with exit code ${code}`)
      }
      yield* Effect.sleep(RestartSchedule.waitAfter(ends))
    }
  }).pipe(
    // A full disk, for example: fails the waiting callers, and the next caller tries again.
    Effect.catchDefect((defect) => failed(`it cannot be started: ${format(defect)}`)),
    Effect.catchTag("ModelServerFailed", GivenUp.tell(student, givenUp))
  )
  yield* Effect.forkScoped(forever)
  /** Waits again if the process has just ended. */
  const answering: Effect.Effect<ModelServer> = Effect.flatMap(isUp.await, () =>
    running === null ? answering : Effect.succeed(running)
  )
  const held: HeldServer = {
    now: () => running,
    ready: Effect.raceFirst(answering, Deferred.await(givenUp)),
    isGivenUp: () => Deferred.isDoneUnsafe(givenUp)
  }
  return held
})
