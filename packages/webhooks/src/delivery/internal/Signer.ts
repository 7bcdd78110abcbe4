/** Makes the signed request of an event to an endpoint, with every secret of the endpoint that is valid. */
import { BoundedCache, entries } from "@limbeck/core/cache/BoundedCache"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Signature from "@limbeck/core/signing/Signature"
import type { Millis } from "@limbeck/core/time/Timestamp"
import type * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Endpoint from "../../endpoint/Endpoint.ts"
import { WebhookLimits } from "../../Limits.ts"
import * as SignedRequest from "../SignedRequest.ts"
import type { WebhookRequest } from "../WebhookSender.ts"

/** `body`: the event as text. */
type SignedContent = Required<Pick<SignedRequest.DeliveryContent, "event" | "deliveryId" | "body" | "traceparent">>

/** The signature is dated `now`. */
type Signer = (
  partition: Partition,
  endpoint: Endpoint.Endpoint,
  letter: SignedContent,
  now: Millis
) => Effect.Effect<WebhookRequest, never, Mac.Mac>

/** A secret can be decrypted only in the context of its encryption. */
interface EndpointKeys {
  readonly context: string
  readonly key: Mac.Key
}

/** Makes keys of sealed secrets, each once: every sealing gives another text, so the text identifies its secret. */
const makeKeys = Effect.gen(function* () {
  const secrets = yield* Secrets
  const keys = new BoundedCache<string, EndpointKeys>(entries(WebhookLimits.openSecretsMax))
  return (sealed: string, context: string): Effect.Effect<Mac.Key> => {
    const known = keys.find(sealed)
    if (known?.context === context) return Effect.succeed(known.key)
    return Effect.tap(Effect.flatMap(secrets.open(sealed, context), Signature.keyOf), (key) =>
      Effect.sync(() => keys.keep(sealed, { context, key }, 1))
    )
  }
})

/** The names of our headers begin with `brand`; by default `Service`. */
export const make = Effect.fnUntraced(function* (brand: string = SignedRequest.defaultBrand) {
  const keyOf = yield* makeKeys
  const request = SignedRequest.make(brand)
  const sign: Signer = Effect.fnUntraced(function* (partition, endpoint, letter, now) {
    const secrets: Array<Signature.Secret> = []
    for (const sealed of Endpoint.signingSecrets(endpoint, now)) secrets.push(yield* keyOf(sealed, partition.key))
    const { body, deliveryId, event, traceparent } = letter
    const { livemode } = partition
    return yield* request({ url: endpoint.url, livemode, secrets, event, deliveryId, body, traceparent, now })
  })
  return sign
})
