/** Every retention rule, with its setting; docs/retention.md shows the list as a table. */
import * as CallRetention from "@limbeck/capture/call/CallRetention"
import * as TallyRetention from "@limbeck/capture/metrics/TallyRetention"
import * as ConversationRetention from "@limbeck/chat/conversation/ConversationRetention"
import * as PeopleRetention from "@limbeck/core/people/PeopleRetention"
import * as BlobRetention from "@limbeck/distill/retention/BlobRetention"
import * as Effect from "effect/Effect"
import { ServerSettings } from "../Settings.ts"
import { always, ruleOf, webhookRules } from "./WebhookRetentionRules.ts"

export const all = Effect.gen(function* () {
  const { callHistoryDays, conversationHistoryDays, uploadRetentionDays } = yield* ServerSettings
  const rules = yield* Effect.all([
    webhookRules,
    ruleOf(callHistoryDays, CallRetention.calls),
    always(CallRetention.unjoinedFeedback),
    always(TallyRetention.hours),
    always(TallyRetention.days),
    ruleOf(conversationHistoryDays, ConversationRetention.rule),
    always(PeopleRetention.rule),
    always(BlobRetention.rule({ uploadDays: uploadRetentionDays }))
  ])
  return rules.flat()
})
