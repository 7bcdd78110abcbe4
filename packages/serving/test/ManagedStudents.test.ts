/** Managed students, beside a workspace with any number of deployments. */
import { assert, it } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { ModelServers } from "@limbeck/distill/student/ModelServers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { ServingLimits } from "../src/Limits.ts"
import * as ManagedStudents from "../src/student/ManagedStudents.ts"
import { Students } from "../src/student/Students.ts"
import { live, makeSchool, stranger } from "./DeploymentsWorld.ts"

const artifact = { sha256: "0".repeat(64), bytes: 1, format: "file" }
const [, , model] = makeSchool().students
const share = sizeAlone(Pools.studentProcesses.size)

/** Counts held servers. No deployment is stored, so the next review releases each student. */
const open = () => {
  const seen = { held: 0 }
  const server = {
    now: () => ({ baseUrl: "http://127.0.0.1:1/v1", credentials: {} }),
    ready: Effect.never,
    isGivenUp: () => false
  }
  const servers = Layer.succeed(ModelServers, {
    isSetUp: true,
    hold: () =>
      Effect.acquireRelease(
        Effect.sync(() => {
          seen.held++
          return server
        }),
        () => Effect.sync(() => seen.held--)
      ),
    sweep: () => Effect.void
  })
  const students = Layer.mock(Students, {
    find: (_, id) => Effect.succeed(Option.map(Option.fromUndefinedOr(model), (one) => ({ ...one, id, artifact })))
  })
  const world = ManagedStudents.layer.pipe(Layer.provide([servers, students]), Layer.provideMerge(StorageMemory.layer))
  return { seen, world }
}

it.effect("a workspace that deploys any number of students leaves processes for another (P820)", () => {
  const { seen, world } = open()
  return Effect.gen(function* () {
    const managed = yield* ManagedStudents.ManagedStudents
    const serve = (partition: typeof live, number: number) =>
      Effect.scoped(managed.now({ partition, deployment: `dep_${number}`, student: `stu_${number}` }))
    for (let number = 0; number < share; number++) yield* serve(live, number)
    const { message } = yield* Effect.flip(serve(live, share))
    assert.include(message, String(share))
    assert.strictEqual(seen.held, share)
    assert.isNotNull(yield* serve(stranger, 0))
    // A student with a process keeps it.
    assert.isNotNull(yield* serve(live, 0))
    yield* TestClock.adjust(ServingLimits.managedReviewMillis)
    assert.strictEqual(seen.held, 0)
    assert.isNotNull(yield* serve(live, share))
  }).pipe(Effect.provide(world))
})
