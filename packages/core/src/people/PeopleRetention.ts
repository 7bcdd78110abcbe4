/** Removes expired links, sessions and invitations. */
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"
import * as Page from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import type { Kind, Resource } from "../resources/Kind.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as RetentionRule from "../retention/RetentionRule.ts"
import type { Millis } from "../time/Timestamp.ts"
import * as Invitation from "./Invitation.ts"
import * as Session from "./Session.ts"
import * as SignInLink from "./SignInLink.ts"

export const rule = Effect.map(ResourceStore, (resources) => {
  const removeOld = Effect.fnUntraced(function* <A extends Resource>(kind: Kind<A>, before: Millis, limit: number) {
    const request = { ...Page.firstPage(limit), createdBefore: before }
    const { items } = yield* resources.page(Partition.system, kind, [], request)
    yield* Effect.forEach(items, ({ id }) => resources.remove(Partition.system, kind, id), { discard: true })
    return items.length
  })

  return RetentionRule.ofRows({
    name: "sign-in links, sessions and invitations",
    setting: null,
    remove: Effect.fnUntraced(function* (now: Millis, limit: number) {
      const links = yield* removeOld(SignInLink.kind, now - Limits.signInLinkMillis, limit)
      const sessions = yield* removeOld(Session.kind, now - Limits.sessionMillis, limit - links)
      const left = limit - links - sessions
      return links + sessions + (yield* removeOld(Invitation.kind, now - Limits.invitationMillis, left))
    })
  })
})
