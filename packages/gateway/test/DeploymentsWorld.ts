/** Deployments on memory storage, of students that a test has loaded or not. */
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as UndiciUpstream from "@limbeck/node/gateway/UndiciUpstream"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Deployments from "../src/deployment/Deployments.ts"
import * as DeploymentWorker from "../src/deployment/DeploymentWorker.ts"
import { type Student, Students, StudentUnreadable } from "../src/deployment/Students.ts"
import * as Sources from "../src/source/Sources.ts"

export const live = Partition.make("ws_00000000000000000000000001", true)
export const test = Partition.make("ws_00000000000000000000000001", false)

/** Which students there are, and what becomes of whoever loads one. */
export interface School {
  readonly students: ReadonlyArray<Student>
  load: (id: string) => Effect.Effect<void, StudentUnreadable>
}

const student = (id: string, engine: Student["engine"]): Student => ({
  id,
  name: null,
  engine,
  loop: null,
  deployable: true
})

export const makeSchool = (): School => ({
  students: [student("stu_1", "builtin"), student("stu_2", "builtin"), student("stu_3", "llm")],
  load: () => Effect.void
})

export const unreadable = new StudentUnreadable({ message: "The artifact is gone" })

const answer = () => ({ text: "yes", confidence: 1, inputTokens: 1, outputTokens: 1 })

const studentsOf = (school: School) =>
  Layer.succeed(Students, {
    find: (_, id) => Effect.succeed(Option.fromUndefinedOr(school.students.find((known) => known.id === id))),
    load: (_, id) => Effect.suspend(() => Effect.as(school.load(id), { answer })),
    saysTheSame: () => true
  })

/** A fresh one for every test that is given it. */
export const worldOf = (school: School) =>
  Layer.mergeAll(Deployments.layer, DeploymentWorker.layer).pipe(
    Layer.provideMerge(Layer.merge(Sources.layer, studentsOf(school))),
    Layer.provideMerge(Layer.provide(Events.layer, Events.Fanout.none)),
    Layer.provideMerge(
      Layer.mergeAll(
        StorageMemory.layer,
        Ids.layer,
        Secrets.layer([Redacted.make(new Uint8Array(32))]),
        UndiciUpstream.layer({ policy: { allowed: [] } })
      )
    ),
    Layer.provideMerge(Crypto.layer)
  )
