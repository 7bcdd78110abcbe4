/** A student model as its GET shows it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { StudentModel } from "./StudentModel.ts"

export const render = (partition: Partition, model: StudentModel) => ({
  id: model.id,
  object: "student_model" as const,
  livemode: partition.livemode,
  name: model.name,
  base: model.base,
  run: model.run,
  report: model.report,
  dataset_version: model.datasetVersion,
  executor: model.executor,
  artifact: model.artifact,
  accuracy: model.accuracy,
  created_at: toIso(model.createdAt)
})
