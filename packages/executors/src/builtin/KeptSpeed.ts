/** The last measured speed of this machine, kept in storage for the next process. */
import * as os from "node:os"
import * as Id from "@limbeck/core/ids/Id"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const MachineSpeed = Schema.Struct({
  id: Id.schema("mch"),
  machine: Schema.String,
  speed: Schema.Finite,
  measuredAt: Millis,
  createdAt: Millis
})

const kind = Kind.make({ name: "machine_speed", schema: MachineSpeed, unique: ({ machine }) => machine })

/** Machines with the same processor share a speed, because a container has a new host name at each start. */
const thisMachine = (): string => {
  const [cpu] = os.cpus()
  return `${os.arch()} ${os.availableParallelism()} x ${cpu?.model ?? "unknown"}`
}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const machine = thisMachine()
  const find = resources.findUnique(Partition.system, kind, machine)

  /** If several processes measure at once, storage keeps one of their results. */
  const keep = Effect.fnUntraced(function* (speed: number) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* find
    if (Option.isSome(found)) {
      const value = { ...found.value.value, speed, measuredAt: now }
      return yield* Effect.asVoid(resources.compareAndSet(Partition.system, kind, { ...found.value, value }))
    }
    const made = { id: yield* ids.make("mch"), machine, speed, measuredAt: now, createdAt: now }
    yield* resources.insert(Partition.system, kind, made)
  })

  return {
    find: Effect.map(
      find,
      Option.map(({ value }) => value)
    ),
    keep
  }
})
