/** A source as the API shows it (contract 7). Its key is in no answer. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Source } from "./Source.ts"

export interface SourceView {
  readonly source: Source
  readonly isDefault: boolean
}

export const render = (partition: Partition, { isDefault, source }: SourceView) => ({
  id: source.id,
  object: "source" as const,
  livemode: partition.livemode,
  name: source.name,
  kind: source.kind,
  dialect: source.dialect,
  base_url: source.baseUrl,
  api_key_last4: source.keyLast4,
  default: isDefault,
  timeout_ms: source.timeoutMillis,
  capture: source.capture,
  models: source.models,
  created_at: toIso(source.createdAt),
  updated_at: toIso(source.updatedAt)
})
