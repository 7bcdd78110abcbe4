/** The names of a report's student and dataset. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Kind, Resource } from "@limbeck/core/resources/Kind"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import * as Dataset from "../dataset/internal/Dataset.ts"
import * as StudentModel from "../student/StudentModel.ts"
import type { Report } from "./Report.ts"

export interface ReportNames {
  /** Null without a student, and for a deleted one. A student without a name has the name of its base. */
  readonly student: string | null
  /** Null for a deleted dataset. */
  readonly dataset: string | null
}

export const read = Effect.fn("ReportNames.read")(function* (
  resources: ResourceStore["Service"],
  partition: Partition,
  { provenance, studentModel }: Report
): Effect.fn.Return<ReportNames, StorageError> {
  const find = <A extends Resource>(kind: Kind<A>, id: string) =>
    Effect.map(resources.find(partition, kind, id), (found) => Option.getOrNull(found)?.value ?? null)
  const student = studentModel === null ? null : yield* find(StudentModel.kind, studentModel)
  const version = yield* find(DatasetVersion.kind, provenance.datasetVersion)
  const dataset = version === null ? null : yield* find(Dataset.kind, version.dataset)
  return { student: student === null ? null : (student.name ?? student.base), dataset: dataset?.name ?? null }
})
