/** A reward, and a score, as the API shows them (contract 4, 14.19). */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { RewardScore } from "./internal/RewardScore.ts"
import type { Reward } from "./Reward.ts"

export const render = (partition: Partition, { createdAt, id, name, rule }: Reward) => ({
  id,
  object: "reward" as const,
  livemode: partition.livemode,
  name,
  ...rule,
  created_at: toIso(createdAt)
})
/** The answer to its creation: an `http` reward's secret is shown this once. */
export const renderWithSecret = (partition: Partition, reward: Reward, secret: string | null) => ({
  ...render(partition, reward),
  ...(secret === null ? {} : { secret })
})

/** `score` is null where there is none; `detail.error` says why. */
export const renderScore = ({ error, facts, message, score }: RewardScore) => ({
  score,
  detail: { ...facts, message, error }
})
