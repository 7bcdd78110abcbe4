/** Buckets are read over real connections, signed for who may read them, and no further than the guard lets us. */
import { assert, describe, it } from "@effect/vitest"
import { type Bucket, ObjectStore } from "@limbeck/distill/connector/ObjectStore"
import * as S3Server from "@limbeck/testing/upstream/S3Server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as S3ObjectStore from "../../src/connector/S3ObjectStore.ts"
import * as UndiciRemote from "../../src/connector/UndiciRemote.ts"
import * as Receivers from "../Receivers.ts"

const policy = { allowed: [] }
const world = Effect.provide(S3ObjectStore.layer({ policy }).pipe(Layer.provide(UndiciRemote.layer({ policy }))))

const keys = {
  accessKeyId: S3Server.credentials.id,
  secretAccessKey: Redacted.make(S3Server.credentials.secret),
  sessionToken: null
}

const opened = Effect.fnUntraced(function* (store: S3Server.Store, bucket: Partial<Bucket> = {}) {
  const { port } = yield* Receivers.http(S3Server.listener(store))
  const endpoint = `http://127.0.0.1:${port}`
  return { name: "rows", region: "eu-west-1", endpoint, pathStyle: true, livemode: false, keys, ...bucket }
})

const text = (bucket: Bucket, key: string, from = 0, etag: string | null = null) =>
  Effect.gen(function* () {
    const part = yield* (yield* ObjectStore).read(bucket, { key, from, etag })
    return { etag: part.etag, text: yield* Stream.mkString(Stream.decodeText(part.body)) }
  }).pipe(Effect.scoped)

const oddKeys = [
  "a b/c+d.jsonl",
  "a/ü–名.jsonl",
  "a/(1)!*'~.jsonl",
  "a/%41?x=1&y#z",
  "a//b",
  "Z",
  "a<&>\u000b",
  "🜚",
  "ﬀ"
]

describe("a bucket", () => {
  it.live("is listed whole, page by page, in the order of its keys, whatever they are (P92)", () =>
    Effect.gen(function* () {
      const store = S3Server.make(Object.fromEntries(oddKeys.map((key) => [key, key])))
      store.pageSize = 2
      const bucket = yield* opened(store)
      const objects = yield* ObjectStore
      const found: Array<string> = []
      let after: string | null = null
      do {
        const page: { keys: ReadonlyArray<string>; next: string | null } = yield* objects.list(bucket, {
          prefix: "",
          after
        })
        found.push(...page.keys)
        after = page.next
      } while (after !== null)
      assert.lengthOf(store.asked, Math.ceil(oddKeys.length / 2))
      assert.deepStrictEqual(
        found,
        oddKeys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      )
      for (const key of oddKeys) assert.strictEqual((yield* text(bucket, key)).text, key)
      const { keys: some } = yield* objects.list(bucket, { prefix: "a ", after: null })
      assert.deepStrictEqual(some, ["a b/c+d.jsonl"])
    }).pipe(world)
  )

  it.live("is read from any byte on, as long as the object is the same", () =>
    Effect.gen(function* () {
      const store = S3Server.make({ one: "0123456789" })
      const bucket = yield* opened(store)
      const { etag } = yield* text(bucket, "one")
      assert.deepStrictEqual(yield* text(bucket, "one", 4, etag), { etag, text: "456789" })
      store.objects.set("one", Buffer.from("other content"))
      const changed = yield* Effect.flip(text(bucket, "one", 4, etag))
      assert.deepInclude(changed, { _tag: "ObjectRefused", statusCode: 412 })
      store.intercept = (_, response) => Boolean(response.writeHead(200).end("everything"))
      assert.deepInclude(yield* Effect.flip(text(bucket, "one", 4)), { _tag: "ObjectRefused", statusCode: 416 })
    }).pipe(world)
  )

  it.live("is named by the path or by the host, and signed for with a session's token", () =>
    Effect.gen(function* () {
      const store = S3Server.make({ one: "1" })
      const session = { ...keys, sessionToken: Redacted.make(S3Server.credentials.token) }
      const bucket = yield* opened(store, { keys: session })
      assert.strictEqual((yield* text(bucket, "one")).text, "1")
      assert.match(store.asked[0]?.url ?? "", /^\/rows\/one/)
      const byHost = { ...bucket, pathStyle: false, endpoint: bucket.endpoint.replace("127.0.0.1", "localhost") }
      assert.strictEqual((yield* text(byHost, "one")).text, "1")
      assert.match(store.asked[1]?.url ?? "", /^\/one/)
    }).pipe(world)
  )

  it.live("says why it is closed to us", () =>
    Effect.gen(function* () {
      const store = S3Server.make({ one: "1" })
      const bucket = yield* opened(store)
      const wrong = { ...keys, secretAccessKey: Redacted.make("other") }
      const cases: ReadonlyArray<readonly [Partial<Bucket>, statusCode: number, code: string]> = [
        [{ keys: wrong }, 403, "SignatureDoesNotMatch"],
        [{ keys: { ...keys, accessKeyId: "other" } }, 403, "InvalidAccessKeyId"],
        [{ keys: { ...keys, sessionToken: Redacted.make("other") } }, 403, "InvalidToken"],
        [{ name: "closed" }, 403, "AccessDenied"],
        [{ name: "none" }, 404, "NoSuchBucket"],
        [{ name: "abroad" }, 301, "PermanentRedirect"]
      ]
      const { list } = yield* ObjectStore
      for (const [changed, statusCode, code] of cases) {
        const refused = yield* Effect.flip(list({ ...bucket, ...changed }, { prefix: "", after: null }))
        assert.deepInclude(refused, { _tag: "ObjectRefused", statusCode, code })
      }
      assert.deepInclude(yield* Effect.flip(text(bucket, "two")), { statusCode: 404, code: "NoSuchKey" })
      assert.deepInclude(yield* Effect.flip(text(bucket, "a/../one")), { _tag: "RemoteError", reason: "invalid_url" })
      store.intercept = (_, response) => Boolean(response.writeHead(503).end("<h1>Busy</h1>"))
      assert.deepInclude(yield* Effect.flip(text(bucket, "one")), { _tag: "ObjectRefused", statusCode: 503 })
      store.intercept = (_, response) => Boolean(response.writeHead(200).end("<h1>Welcome"))
      const odd = yield* Effect.flip(list(bucket, { prefix: "", after: null }))
      assert.strictEqual(odd._tag, "ObjectAnswerInvalid")
    }).pipe(world)
  )

  it.live("is not asked for where the guard says no (P92)", () =>
    Effect.gen(function* () {
      const store = S3Server.make({ one: "1" })
      const bucket = yield* opened(store, { livemode: true })
      const { list } = yield* ObjectStore
      for (const [endpoint, reason] of [
        [bucket.endpoint.replace("http:", "https:"), "blocked_address"],
        ["https://169.254.169.254", "blocked_address"],
        ["https://10.0.0.1", "blocked_address"],
        ["http://8.8.8.8", "insecure_url"]
      ] as const) {
        const refused = yield* Effect.flip(list({ ...bucket, endpoint }, { prefix: "", after: null }))
        assert.deepInclude(refused, { _tag: "RemoteError", reason })
      }
      assert.isEmpty(store.asked)
    }).pipe(world)
  )
})
