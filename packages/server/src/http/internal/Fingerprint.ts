/**
 * Fingerprints of requests with an idempotency key. Records live for 24 hours, so a server reads fingerprints of the
 * previous version: a new form takes the next number, and the previous form stays in `earlier` while its records may
 * exist.
 */
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"

/** The identity of a keyed request. Excludes the API version: a retry in another version is a replay. */
export interface KeyedRequest {
  readonly method: string
  /** Without the query and the host: a retry may reach another server, by another name. */
  readonly path: string
  /** The token or person of the request, if the response holds a secret; otherwise empty. */
  readonly maker: string
  readonly body: Uint8Array
}

/** The number of the current form. */
const form = 3

const digestOf = (head: ReadonlyArray<string>, body: Uint8Array) =>
  Effect.flatMap(Digest, (digest) => {
    const bytes = new TextEncoder().encode(head.map((part) => `${part}\n`).join(""))
    const whole = new Uint8Array(bytes.length + body.length)
    whole.set(bytes)
    whole.set(body, bytes.length)
    return digest.digestHex(sha256, whole)
  })

export const of = ({ body, maker, method, path }: KeyedRequest) =>
  Effect.map(digestOf([method, path, maker], body), (digest) => `${form}:${digest}`)

/**
 * Fingerprints in earlier servers' forms, in any API version. Form 1 has no maker, so it is not recognized for responses
 * with a secret: a replay could give the secret to another token (contract 15.8).
 */
export const earlier = ({ body, maker, method, path }: KeyedRequest) =>
  Effect.forEach(
    ApiVersions.versions.flatMap((version) => [
      [method, path, version, maker],
      ...(maker === "" ? [[method, path, version]] : [])
    ]),
    (head) => digestOf(head, body)
  )
