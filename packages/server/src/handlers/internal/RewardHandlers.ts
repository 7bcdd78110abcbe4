/** The reward routes (contract 6, 14.19). */
import { type RewardCreate, RewardsApi } from "@limbeck/api/RewardsApi"
import type { Rule } from "@limbeck/distill/reward/Reward"
import * as RewardResource from "@limbeck/distill/reward/RewardResource"
import { Rewards } from "@limbeck/distill/reward/Rewards"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

/** Kinds that need not be told anything need no `config`. */
const ruleOf = ({ name: _, ...rule }: typeof RewardCreate.Type): Rule => {
  switch (rule.kind) {
    case "exact_match":
      return { kind: rule.kind, config: rule.config ?? {} }
    case "contains":
      return { kind: rule.kind, config: rule.config ?? {} }
    default:
      return rule
  }
}

export const make = Effect.map(Rewards, (rewards) =>
  handlersOf(RewardsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(rewards.create(partition, { name: payload.name, rule: ruleOf(payload) }), ({ reward, secret }) =>
        RewardResource.renderWithSecret(partition, reward, secret)
      ),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "rewards", query },
        (request) => rewards.page(partition, request),
        (items) => items.map((item) => RewardResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(rewards.get(partition, params.reward_id), (reward) => RewardResource.render(partition, reward)),
    score: ({ caller: { partition }, params, payload }) =>
      Effect.map(rewards.score(partition, params.reward_id, payload), RewardResource.renderScore)
  })
)
