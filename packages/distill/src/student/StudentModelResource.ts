/** A student model as its GET shows it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { StudentModel } from "./StudentModel.ts"

const renderEndpoint = ({ endpoint }: StudentModel) =>
  endpoint === null
    ? null
    : {
        base_url: endpoint.baseUrl,
        model: endpoint.model,
        api_key_last4: endpoint.keyLast4,
        input_per_million: endpoint.inputPerMillion,
        output_per_million: endpoint.outputPerMillion
      }

export const render = (partition: Partition, model: StudentModel) => ({
  id: model.id,
  object: "student_model" as const,
  livemode: partition.livemode,
  origin: model.origin,
  name: model.name,
  base: model.base,
  run: model.run,
  report: model.report,
  dataset_version: model.datasetVersion,
  executor: model.executor,
  endpoint: renderEndpoint(model),
  artifact: model.artifact,
  accuracy: model.accuracy,
  created_at: toIso(model.createdAt)
})
