/** `limbeck serve --processes N`, from its start to its end: the port, the embedded database if there is one, and the processes. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as DataDir from "../DataDir.ts"
import { afterReads } from "../Drain.ts"
import * as Embedded from "../Embedded.ts"
import * as Exits from "../Exits.ts"
import { urlOf } from "../Listener.ts"
import * as Logging from "../Logging.ts"
import type { Settings } from "../Settings.ts"
import * as Signals from "../Signals.ts"
import * as Crew from "./Crew.ts"
import * as Door from "./Door.ts"

/** Has the processes replaced, one by one. */
const renewal = "SIGUSR2"

const renewing = Effect.fnUntraced(function* (crew: Crew.Crew) {
  const asked = yield* Queue.sliding<void>(1)
  process.on(renewal, () => void Queue.offerUnsafe(asked, undefined))
  return yield* Effect.forever(Effect.andThen(Queue.take(asked), crew.replaceAll))
})

/** Serves until a signal stops it; the exit code. */
const program = Effect.fnUntraced(function* (settings: Settings, of: number) {
  let give: Crew.Crew["give"] = (socket) => void socket.destroy()
  const door = yield* Door.open(settings, (socket) => give(socket))
  yield* DataDir.prepare(settings)
  const embeddedUrl = settings.storage === "embedded" ? (yield* Embedded.launch(settings)).url : null
  const crew = Crew.make({ of, embeddedUrl, port: door.port })
  give = crew.give
  const stop = () =>
    afterReads(() => {
      door.close()
      crew.stop()
    })
  Signals.onStop(stop, stop)
  yield* Effect.forkScoped(renewing(crew))
  return yield* crew.serve(
    Effect.sync(() => void process.stdout.write(`Limbeck listens on ${urlOf(settings.host, door.port)}\n`))
  )
}, Effect.scoped)

export const run = async (settings: Settings, of: number): Promise<number> => {
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings, of), Logging.layer(settings)))
  return exit._tag === "Success" ? exit.value : Exits.of(exit, settings)
}
