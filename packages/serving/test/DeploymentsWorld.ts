/** Deployments on memory storage, of students that a test has loaded or not. */

import * as Sources from "@limbeck/capture/source/Sources"
import * as ModelServers from "@limbeck/distill/student/ModelServers"
import * as Crypto from "@limbeck/node/Crypto"
import * as UndiciUpstream from "@limbeck/node/capture/UndiciUpstream"
import * as ManagedStudents from "@limbeck/serving/student/ManagedStudents"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployments from "../src/deployment/Deployments.ts"
import * as DeploymentWorker from "../src/deployment/DeploymentWorker.ts"
import { type Student, StudentUnreadable } from "../src/student/internal/Student.ts"
import { Students } from "../src/student/Students.ts"

export const { live, stranger, test } = World

/** The students, and the outcome of loading one. */
export interface School {
  readonly students: ReadonlyArray<Student>
  load: (id: string) => Effect.Effect<void, StudentUnreadable>
}

const student = (id: string, engine: Student["engine"]): Student => ({
  id,
  name: null,
  base: "tiny",
  engine,
  loop: null,
  deployable: true,
  endpoint: null,
  artifact: null,
  holdout: { rows: 100, agreed: 100, low: 0.963, high: 1, method: "wilson", mostFrequent: 50 },
  agreementAt: [],
  questionEvidence: null,
  heldOut: []
})

export const makeSchool = (): School => ({
  students: [student("stu_1", "builtin"), student("stu_2", "builtin"), student("stu_3", "llm")],
  load: () => Effect.void
})

export const unreadable = new StudentUnreadable({ message: "The artifact is gone" })

const predict = () =>
  Effect.succeed({ text: "yes", confidence: 1, isNew: false, distribution: [], inputTokens: 1, outputTokens: 1 })

const studentsOf = (school: School) =>
  Layer.succeed(Students, {
    find: (_, id) => Effect.succeed(Option.fromUndefinedOr(school.students.find((known) => known.id === id))),
    load: (_, id) =>
      Effect.suspend(() =>
        Effect.as(school.load(id), { predict, questions: [], labels: null, free: [], knowsTools: () => false })
      )
  })

/** A fresh world for each test. */
export const worldOf = (school: School) =>
  Layer.mergeAll(Deployments.layer, DeploymentWorker.layer).pipe(
    Layer.provideMerge(ManagedStudents.layer),
    Layer.provideMerge(Layer.mergeAll(Sources.layer, studentsOf(school), ModelServers.none)),
    Layer.provideMerge(World.events),
    Layer.provideMerge(
      Layer.mergeAll(StorageMemory.layer, World.services, UndiciUpstream.layer({ policy: { allowed: [] } }))
    ),
    Layer.provideMerge(Crypto.layer)
  )
