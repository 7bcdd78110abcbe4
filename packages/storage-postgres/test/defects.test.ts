/** A value that our own schemas refuse is a defect: only database failures become a `StorageError`. */
import { assert, it } from "@effect/vitest"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { freshSchema, url } from "./Database.ts"

const Weight = Schema.Struct({ id: Schema.String, grams: Schema.Finite, createdAt: Millis })
const kind = Kind.make({ name: "weight", schema: Weight })
const weight = (id: string, grams: number) => ({ id, grams, createdAt: 1 })
/** The same documents, read by a program that expects another field. */
const renamed = Kind.make({
  name: "weight",
  schema: Schema.Struct({ id: Schema.String, pounds: Schema.Finite, createdAt: Millis })
})

const defectOf = <A, E>(exit: Exit.Exit<A, E>): string => {
  if (Exit.isSuccess(exit) || !Cause.hasDies(exit.cause)) assert.fail(`no defect: ${String(exit)}`)
  return String(Cause.squash(exit.cause))
}

it.live("a value or a row that its schema refuses is a defect that names the operation, and no outage (P801)", () =>
  Effect.gen(function* () {
    const ports = yield* Layer.build(StoragePostgres.layer({ url, schema: yield* freshSchema }))
    yield* Effect.gen(function* () {
      const store = yield* ResourceStore
      const partition = Fresh.partition()
      const inserted = yield* Effect.exit(store.insert(partition, kind, weight("w_1", Number.NaN)))
      assert.include(defectOf(inserted), "ResourceStore.insert")
      yield* store.insert(partition, kind, weight("w_2", 5))
      assert.include(defectOf(yield* Effect.exit(store.find(partition, renamed, "w_2"))), "ResourceStore.find")
      assert.isTrue((yield* store.find(partition, kind, "w_2"))._tag === "Some")
    }).pipe(Effect.provideContext(ports))
  })
)
