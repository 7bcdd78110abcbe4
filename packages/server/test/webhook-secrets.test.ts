/** Secrets of endpoints and their signatures (service-api 6.2, 6.3; contract 8, 14.15). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { freshKey } from "@limbeck/testing/http/Steps"
import Stripe from "stripe"
import { assertInvalid, type Client, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import {
  type CreatedEndpoint,
  deliveriesOf,
  type Endpoint,
  endpointOf,
  endpoints,
  happen,
  isSignedBy,
  subscribe,
  untilSome
} from "./support/Webhooks.ts"

const second = 1_000
const day = 24 * 3_600 * second
const toleranceSeconds = 300

onEachStorage("secrets of endpoints", (house) => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const own = () => receiver.answering((_, response) => response.end("noted"))

  const rotate = async (caller: Client, id: string, body?: unknown) =>
    expectStatus(await caller.post<CreatedEndpoint>(`${endpoints}/${id}/rotate_secret`, body), 200)

  /** The newest delivery that came to the URL, sent now. */
  const delivered = async (caller: Client, { id, url }: Endpoint) => {
    const before = receiver.allAt(url).length
    await happen(caller)
    await untilSome(caller, id, "succeeded", before + 1)
    const { body, headers } = receiver.allAt(url).at(-1)!
    return { body, signature: String(headers["service-signature"]), at: house.now() }
  }

  /** Whether a stock verifier takes it. */
  const isAccepted = (
    { at, body, signature }: { readonly at: number; readonly body: string; readonly signature: string },
    secret: string
  ) => {
    try {
      Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, at)
      return true
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
      throw error
    }
  }

  it("a rotation shows the new secret once, and both sign until the overlap ends", async () => {
    const { test } = await house.workspace()
    const { id, secret, url } = await subscribe(test, own())
    const before = house.now()
    const rotated = await rotate(test, id)
    assert.match(rotated.secret, /^whsec_[0-9A-Za-z]{43}$/)
    assert.notStrictEqual(rotated.secret, secret)
    assert.deepInclude(rotated, { id, object: "webhook_endpoint", status: "enabled" })
    const endsAt = Date.parse(rotated.previous_secret_expires_at ?? "")
    assert.approximately(endsAt, before + day, 60_000)
    const shown = await endpointOf(test, id)
    assert.notProperty(shown, "secret")
    assert.strictEqual(shown.previous_secret_expires_at, rotated.previous_secret_expires_at)

    const { body, signature } = await delivered(test, { ...shown, url })
    for (const one of [rotated.secret, secret]) assert.isTrue(isSignedBy(signature, body, one))
  })

  it("a rotation takes 0 seconds to 7 days, and its replay shows the same secret", async () => {
    const { test } = await house.workspace()
    const { id } = await subscribe(test, receiver.url("/fine"))
    const path = `${endpoints}/${id}/rotate_secret`
    for (const seconds of [-1, 7 * 24 * 3_600 + 1, 1.5, "60"]) {
      assertInvalid(await test.post(path, { expires_in_seconds: seconds }), "expires_in_seconds")
    }
    assertInvalid(await test.post(path, { expires_in: 60 }), "expires_in")
    const atOnce = expectStatus(await test.post<CreatedEndpoint>(path, { expires_in_seconds: 0 }), 200)
    assert.isNull(atOnce.previous_secret_expires_at)
    const key = freshKey()
    const body = { expires_in_seconds: 7 * 24 * 3_600 }
    const first = await test.post<CreatedEndpoint>(path, body, key)
    const again = await test.post<CreatedEndpoint>(path, body, key)
    assert.strictEqual(expectStatus(again, 200).secret, expectStatus(first, 200).secret)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
  })

  it("a stock verifier takes what was sent, and nothing that was tampered with or is old (P20)", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, own())
    const { secret } = endpoint
    const sent = await delivered(test, endpoint)
    assert.isTrue(isAccepted(sent, secret))
    assert.match(sent.signature, /^t=\d+,v1=[0-9a-f]{64}$/)
    const time = /^t=(\d+)/.exec(sent.signature)?.[1] ?? ""
    for (const wrong of [
      { ...sent, body: `${sent.body} ` },
      { ...sent, body: sent.body.replace("succeeded", "failed") },
      { ...sent, body: JSON.stringify(JSON.parse(sent.body), null, 2) },
      { ...sent, signature: sent.signature.replace(`t=${time}`, `t=${Number(time) + 1}`) },
      { ...sent, signature: sent.signature.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
      { ...sent, signature: sent.signature.replace("v1=", "v0=") },
      { ...sent, at: (Number(time) + toleranceSeconds + 1) * second }
    ]) {
      assert.isFalse(isAccepted(wrong, secret))
    }
    assert.isFalse(isAccepted(sent, `${secret.slice(0, -1)}-`))
  })

  it("a stock verifier takes the old secret and the new one during a rotation, and the new one alone after it (P20)", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, own())
    const { secret: next } = await rotate(test, endpoint.id, { expires_in_seconds: 60 })
    const acceptedWith = async (...secrets: ReadonlyArray<string>) => {
      const sent = await delivered(test, endpoint)
      return secrets.map((secret) => isAccepted(sent, secret))
    }
    assert.deepStrictEqual(await acceptedWith(next, endpoint.secret), [true, true])
    house.passTime(60 * second)
    assert.deepStrictEqual(await acceptedWith(next, endpoint.secret), [true, false])
    assert.isNull((await endpointOf(test, endpoint.id)).previous_secret_expires_at)
  })

  it("with no overlap, the secret before is worth nothing at once", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, own())
    const { secret: next } = await rotate(test, endpoint.id, { expires_in_seconds: 0 })
    const sent = await delivered(test, endpoint)
    assert.match(sent.signature, /^t=\d+,v1=[0-9a-f]{64}$/)
    assert.deepStrictEqual([isAccepted(sent, next), isAccepted(sent, endpoint.secret)], [true, false])
  })

  it("rotated twice within the overlap, the newest and the one just before it sign, the newest first", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, own())
    const { secret: second } = await rotate(test, endpoint.id)
    const { secret: third } = await rotate(test, endpoint.id, {})
    const sent = await delivered(test, endpoint)
    assert.deepStrictEqual(
      [third, second, endpoint.secret].map((secret) => isAccepted(sent, secret)),
      [true, true, false]
    )
    const [time, newest, previous, ...more] = sent.signature.split(",")
    assert.deepStrictEqual(more, [])
    assert.isTrue(isSignedBy(`${time},${newest}`, sent.body, third))
    assert.isTrue(isSignedBy(`${time},${previous}`, sent.body, second))
  })

  it("a secret is in the answers to creation and rotation, and nowhere else (P44)", async () => {
    const { test } = await house.workspace()
    const endpoint = await subscribe(test, own(), ["*"])
    await rotate(test, endpoint.id)
    await delivered(test, endpoint)
    const path = `${endpoints}/${endpoint.id}`
    const delivery = (await deliveriesOf(test, endpoint.id)).data[0]
    const texts = [
      (await test.patch(path, { description: "changed" })).text,
      (await test.post(`${path}/ping`)).text,
      ...receiver.allAt(endpoint.url).map(({ body }) => body)
    ]
    for (const at of [path, endpoints, `${path}/deliveries`, `${path}/deliveries/${delivery?.id}`, "/v1/events"]) {
      const answer = await test.get(at)
      expectStatus(answer, 200)
      texts.push(answer.text)
    }
    for (const text of texts) assert.notMatch(text, /whsec_|secret":/)
  })
})
