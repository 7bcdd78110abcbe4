/** Literal digests: a changed form would break the previous version's keys. */
import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Fingerprint from "../src/http/internal/Fingerprint.ts"

const requests = {
  dataset: { method: "POST", path: "/v1/distill/datasets", maker: "", body: '{"name":"once"}' },
  token: {
    method: "POST",
    path: "/v1/tokens",
    maker: "tok_01kaf3tn0e5v2b8w6xq4rj7mcd",
    body: '{"name":"once","scopes":["distill:read"]}'
  }
} as const

const bytes = new TextEncoder()

const digested = <A>(
  make: (request: Fingerprint.KeyedRequest) => Effect.Effect<A, never, Digest.Digest>,
  { body, ...head }: (typeof requests)["dataset" | "token"]
) => Effect.provide(make({ ...head, body: bytes.encode(body) }), Digest.layerWebCrypto)

describe("a fingerprint", () => {
  it.effect("has the number of its form, and this digest (P942)", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        [yield* digested(Fingerprint.of, requests.dataset), yield* digested(Fingerprint.of, requests.token)],
        [
          "3:8cf6a795f32b967c222dfc0ba97a944630391fcf698f8c4760190ef543fff825",
          "3:ed69777c901470ebd603f81576193a686ee7ee7e039ee16cb7f9aad6f28f05a4"
        ]
      )
    })
  )

  it.effect("is known in the forms that servers before wrote, in both versions of the API (P942)", () =>
    Effect.gen(function* () {
      assert.sameMembers(
        [...(yield* digested(Fingerprint.earlier, requests.dataset))],
        [
          "85e9e67f3a7eb69fee80eac8a283f7af2965e2dacc030ca6372544d2f028ea9e",
          "1bc3d1d290846cb41a8c15d8881d5fb492155a2b8446bd1586c1028da11cb804",
          "269fefeda010c40e0441de906bc9afa228671f6290119f1e1f821bc2de6c5f8c",
          "6db7c1f787d18475b3d612ef2325c7189ae81984a28e6f82a39d6b81bb66be7c"
        ]
      )
    })
  )

  it.effect("of an answer with a secret is not known in the form that had no maker", () =>
    Effect.gen(function* () {
      assert.sameMembers(
        [...(yield* digested(Fingerprint.earlier, requests.token))],
        [
          "ecbfb50f8b2132b67910af7deddde2fc15ffa725216f395b777ed94647ac195e",
          "865b091b0f1f9b6348b6a47271f87a4f2702448ae5d1e6fd4dd973ae6ce19dfd"
        ]
      )
    })
  )
})
