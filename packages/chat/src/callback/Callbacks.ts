/** Sends the callback of an answer: one signed request of at most 5 s, behind the egress guard, never again (service-api 6.5). */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import { Storage } from "@limbeck/core/storage/Storage"
import * as SignedRequest from "@limbeck/webhooks/delivery/SignedRequest"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ConversationStore } from "../conversation/ConversationStore.ts"
import * as MessageResource from "../message/MessageResource.ts"
import * as Rules from "./CallbackRules.ts"
import * as CallbackSecret from "./internal/CallbackSecret.ts"

export class Callbacks extends Context.Service<
  Callbacks,
  {
    /** Makes the claimed message's attempt, if due, and stores the outcome. */
    readonly send: (work: Work) => Effect.Effect<void, LeaseLost | StorageError>
  }
>()("@limbeck/chat/callback/Callbacks") {}

const make = Effect.fnUntraced(function* ({ brand }: { readonly brand: string }) {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const queue = yield* Queue
  const sender = yield* WebhookSender
  const mac = yield* Mac
  const { secret } = yield* CallbackSecret.make
  const signed = SignedRequest.make(brand)

  /** After this commit no other attempt can begin. */
  const begin = (work: Work) =>
    storage.transaction(
      Effect.gen(function* () {
        yield* queue.guard(work)
        const found = Option.filter(yield* store.message(work.partition, work.subject), Rules.isDue)
        if (Option.isNone(found)) return undefined
        const message = Rules.begin(found.value, yield* Clock.currentTimeMillis)
        yield* store.write(work.partition, message)
        return message
      })
    )

  const attempt = Effect.fnUntraced(
    function* ({ partition: { livemode } }: Work, message: Rules.DueCallback) {
      const { deliveryId, url } = message.callback
      const request = yield* signed({
        url,
        livemode,
        secrets: [yield* secret],
        event: null,
        deliveryId,
        body: MessageResource.callbackBody(message),
        now: yield* Clock.currentTimeMillis
      })
      return yield* sender.send(request)
    },
    Effect.provideService(Mac, mac)
  )

  return Callbacks.of({
    send: Effect.fn("Callbacks.send")(function* (work) {
      // Loads the secret before storing the attempt: a later failure would never be retried.
      yield* secret
      const message = yield* begin(work)
      if (message === undefined) return
      const result = yield* attempt(work, message)
      yield* store.write(work.partition, Rules.end(message, result, yield* Clock.currentTimeMillis))
    }, Effect.uninterruptible)
  })
})

type Needs = Storage | ConversationStore | Queue | ResourceStore | Secrets | SecureRandom | WebhookSender | Mac

/** `brand`: the prefix of our header names. */
export const layerWith = (options: { readonly brand: string }): Layer.Layer<Callbacks, never, Needs> =>
  Layer.effect(Callbacks, make(options))
