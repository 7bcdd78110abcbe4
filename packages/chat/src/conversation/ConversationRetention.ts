/** Removes expired conversations, by their last message, with their messages. Captured calls stay. */
import * as RetentionRule from "@limbeck/core/retention/RetentionRule"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import { ConversationStore } from "./ConversationStore.ts"

export const rule = (days: number) =>
  Effect.map(ConversationStore, (store) =>
    RetentionRule.ofRows({
      name: "conversations",
      setting: "conversationHistoryDays",
      remove: (now, max) => store.prune(now - Math.round(days * dayMillis), max)
    })
  )
