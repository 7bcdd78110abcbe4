/** Student files of earlier versions, with those versions' answers. */
import { gunzipSync } from "node:zlib"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { House, Workspace } from "./House.ts"
import given from "./students-of-before.json" with { type: "json" }

/** Each with the same system message, and asked by `content`. */
export const studentsOfBefore = given.map(({ answers, artifact, format }) => ({
  format,
  bytes: new Uint8Array(gunzipSync(Buffer.from(artifact, "base64"))),
  answers
}))
export const system = "You sort what customers write."

/** Stores the student like a run of that version; returns its id. */
export const publish = (house: House, { id }: Workspace, { bytes, format }: (typeof studentsOfBefore)[number]) =>
  house.withStored(({ blobs, resources }) =>
    Effect.gen(function* () {
      const partition = Partition.make(id as WorkspaceId, true) // A workspace of the house has a valid id.
      const kept = yield* blobs.put(partition, Stream.succeed(bytes))
      const student: StudentModel.StudentModel = {
        origin: "run",
        id: `stu_${String(format.at(-1)).padStart(26, "0")}`,
        name: null,
        base: "builtin/text-classifier",
        run: null,
        report: null,
        datasetVersion: null,
        executor: "builtin",
        endpoint: null,
        artifact: { ...kept, format },
        accuracy: null,
        holdout: null,
        agreementAt: [],
        createdAt: house.now()
      }
      yield* resources.insert(partition, StudentModel.kind, student)
      return student.id
    })
  )
