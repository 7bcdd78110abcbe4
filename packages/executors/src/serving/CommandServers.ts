/**
 * Serves students by a command of the operator's (`SERVING_COMMAND`): a process each, on this machine alone.
 *
 *   fetch the artifact ──▶ start ──▶ ask for its health ── answers ──▶ up ──┐
 *                           ▲  ▲            │ ends                          │ ends, or refuses connections
 *                           │  └── backoff ◀┴───────────────────────────────┘
 *                           never answered in three starts, or for ten minutes ──▶ given up
 */
import path from "node:path"
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Servable } from "@limbeck/distill/student/ModelServers"
import {
  type HeldServer,
  type ModelServer,
  ModelServerFailed,
  ModelServers
} from "@limbeck/distill/student/ModelServers"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { format } from "effect/Formatter"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as CommandLine from "./internal/CommandLine.ts"
import * as Health from "./internal/Health.ts"
import * as Launch from "./internal/Launch.ts"
import { ServingProcessLimits as Limits } from "./internal/Limits.ts"
import * as RestartSchedule from "./internal/RestartSchedule.ts"
import * as ServedArtifact from "./internal/ServedArtifact.ts"

/** The command and its environment, and where artifacts are unpacked. */
export interface CommandServersOptions {
  /** Words as `llama-server -m {artifact} --port {port}`; see docs/deployments.md. */
  readonly command: string
  /** All that it gets, beside what says what to serve. Nothing secret. */
  readonly environment: Readonly<Record<string, string>>
  /** Of this machine; several servers may share it. */
  readonly folder: string
}

const failed = (message: string) => new ModelServerFailed({ message })

/** Ends when it has ended, or nobody answers any more. `up` is told of once it answers. */
const watched = Effect.fnUntraced(function* (port: number, up: () => void) {
  while ((yield* Health.probe(port)) !== "ready") yield* Effect.sleep(Limits.startPollMillis)
  up()
  let refusals = 0
  while (refusals < Limits.refusalsMax) {
    yield* Effect.sleep(Limits.watchMillis)
    refusals = (yield* Health.probe(port)) === "refused" ? refusals + 1 : 0
  }
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one life of one process, whose steps share their state
const holding = Effect.fnUntraced(function* (
  fetched: ServedArtifact.Fetch,
  options: CommandServersOptions,
  partition: Partition,
  student: Servable
) {
  const { command, environment, folder } = options
  const isUp = Latch.makeUnsafe(false)
  const givenUp = yield* Deferred.make<never, ModelServerFailed>()
  let running: ModelServer | null = null
  let hasAnswered = false
  let ends = 0

  const down = Effect.sync(() => {
    running = null
    Latch.closeUnsafe(isUp)
  })

  /** One process, from its start to its end. */
  const once = Effect.fnUntraced(function* (artifact: string) {
    const port = yield* Health.freePort
    const values = { artifact, port: String(port), host: Health.host, model: student.id }
    const launched = yield* Launch.start(CommandLine.filled(command, values), {
      cwd: folder,
      log: path.join(folder, `${student.id}.log`),
      environment: {
        ...environment,
        LIMBECK_ARTIFACT_DIR: artifact,
        LIMBECK_PORT: values.port,
        LIMBECK_HOST: values.host,
        LIMBECK_MODEL: values.model
      }
    })
    yield* Effect.annotateLogs(Effect.logInfo("student_server_started"), { student: student.id, port })
    const up = () => {
      running = { baseUrl: `http://${Health.host}:${port}/v1` }
      hasAnswered = true
      ends = 0
      Latch.openUnsafe(isUp)
    }
    const code = yield* Effect.raceFirst(launched.exited, Effect.as(watched(port, up), null))
    yield* down
    yield* Effect.annotateLogs(Effect.logWarning("student_server_ended"), { student: student.id, code })
    return code
  }, Effect.scoped)

  const forever = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + Limits.startMillisMax
    const artifact = yield* fetched(partition, student, folder)
    while (true) {
      const left = until - (yield* Clock.currentTimeMillis)
      // Before it has answered for the first time there is a limit to all of it.
      const code = yield* hasAnswered
        ? once(artifact)
        : Effect.raceFirst(
            once(artifact),
            Effect.andThen(
              Effect.sleep(Math.max(0, left)),
              Effect.suspend(() => (hasAnswered ? Effect.never : Effect.fail(failed("it does not answer"))))
            )
          )
      ends++
      if (!hasAnswered && ends >= Limits.startsMax) {
        return yield* failed(`SERVING_COMMAND ended ${ends} times before it answered, last with exit code ${code}`)
      }
      yield* Effect.sleep(RestartSchedule.waitAfter(ends))
    }
  }).pipe(
    // A disk that is full, for example: whoever waits is told, and the next that asks tries anew.
    Effect.catchDefect((defect) => failed(`it cannot be started: ${format(defect)}`)),
    Effect.catchTag("ModelServerFailed", (failure) =>
      Effect.andThen(
        Effect.annotateLogs(Effect.logWarning("student_server_given_up", failure.message), { student: student.id }),
        Deferred.fail(givenUp, failure)
      )
    )
  )
  yield* Effect.forkScoped(forever)
  const answering = Effect.flatMap(
    isUp.await,
    (): Effect.Effect<ModelServer, ModelServerFailed> =>
      running === null ? Effect.fail(failed("it has just ended")) : Effect.succeed(running)
  )
  const held: HeldServer = {
    now: () => running,
    ready: Effect.raceFirst(answering, Deferred.await(givenUp)),
    isGivenUp: () => Deferred.isDoneUnsafe(givenUp)
  }
  return held
})

/** The servers of a command. They end with the layer, and with the process however it ends. */
export const layer = (options: CommandServersOptions): Layer.Layer<ModelServers, never, Blobs> =>
  Layer.effect(
    ModelServers,
    Effect.map(ServedArtifact.make, (fetched) => ({
      isSetUp: true,
      hold: (partition: Partition, student: Servable) => holding(fetched, options, partition, student)
    }))
  )
