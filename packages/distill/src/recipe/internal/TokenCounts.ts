/** The tokens of a version for each language model of the catalog. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import { StudentCatalog } from "../StudentCatalog.ts"
import { StudentTokens, type TokenCount } from "../StudentTokens.ts"

/** `tokenizer`: the student whose tokenizer has counted. */
export interface RowTokenCount extends TokenCount {
  readonly tokenizer: string
}

export type TokenCounts = ReadonlyMap<string, RowTokenCount>

/**
 * Counts tokens by student. A student without an available tokenizer uses the first available one, which is closer than
 * bytes and keeps students comparable. Empty without any tokenizer.
 */
export const make = Effect.gen(function* () {
  const { count } = yield* StudentTokens
  const { students } = yield* StudentCatalog
  const models = students.filter(({ engine }) => engine === "llm").map(({ id }) => id)
  return Effect.fnUntraced(function* (partition: Partition, version: string) {
    const own = yield* Effect.forEach(models, (tokenizer) =>
      Effect.map(count(partition, version, tokenizer), (found) => (found === null ? null : { ...found, tokenizer }))
    )
    const first = own.find((one) => one !== null)
    const counts: TokenCounts = new Map(
      first === undefined ? [] : models.map((id, index) => [id, own[index] ?? first] as const)
    )
    return counts
  })
})
