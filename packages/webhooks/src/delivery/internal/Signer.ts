/** Makes the signed request of an event to an endpoint, with every secret of the endpoint that is valid. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Signature from "@limbeck/core/signing/Signature"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Cache from "effect/Cache"
import { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Endpoint from "../../endpoint/Endpoint.ts"
import { WebhookLimits } from "../../Limits.ts"
import * as SignedRequest from "../SignedRequest.ts"
import type { WebhookRequest } from "../WebhookSender.ts"

interface Letter {
  readonly event: { readonly id: string; readonly type: string }
  readonly deliveryId: string
  /** The event as text. */
  readonly body: string
  readonly traceparent: string | null
}

/** The signature is dated `now`. */
type Signer = (
  partition: Partition,
  endpoint: Endpoint.Endpoint,
  letter: Letter,
  now: Millis
) => Effect.Effect<WebhookRequest>

/** Separates the two parts of a key; it is in neither. */
const between = "\n"

/** Makes keys of sealed secrets, each once: every sealing gives another text, so the text identifies its secret. */
const makeKeys = Effect.gen(function* () {
  const secrets = yield* Secrets
  const cache = yield* Cache.make({
    capacity: WebhookLimits.openSecretsMax,
    // One text: a key of several members would be compared member by member at every delivery.
    lookup: (key: string) => {
      const at = key.indexOf(between)
      return Effect.flatMap(secrets.open(key.slice(at + 1), key.slice(0, at)), Signature.keyOf)
    }
  })
  return (sealed: string, context: string) => Cache.get(cache, context + between + sealed)
})

/** The names of our headers begin with `brand`; by default `Service`. */
export const make = Effect.fnUntraced(function* (brand: string = SignedRequest.defaultBrand) {
  const mac = yield* Mac
  const keyOf = yield* makeKeys
  const sign: Signer = Effect.fnUntraced(
    function* (partition, endpoint, letter, now) {
      const secrets: Array<Signature.Secret> = []
      for (const sealed of Endpoint.signingSecrets(endpoint, now)) secrets.push(yield* keyOf(sealed, partition.key))
      const { livemode } = partition
      return yield* SignedRequest.make({ brand, url: endpoint.url, livemode, secrets, ...letter, now })
    },
    Effect.provideService(Mac, mac)
  )
  return sign
})
