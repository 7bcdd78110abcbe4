/** The corpus of the egress guard: every case of the tables beside this file, judged by the guard itself. */
import { isIP } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { allowsAddress, type EgressPolicy, refusalOfUrl } from "@limbeck/core/egress/EgressPolicy"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as IpNetwork from "effect/net/IpNetwork"
import * as Resolve from "../../src/egress/internal/Resolve.ts"
import * as UndiciSender from "../../src/webhooks/UndiciSender.ts"
import * as Receivers from "../Receivers.ts"
import { loopback, noAddresses, publicOnes, type Range, refusedV4, refusedV6 } from "./Addresses.ts"
import { allowances } from "./Allowances.ts"
import { redirects, sequences } from "./Answers.ts"
import { names, noHosts, spellings } from "./Hosts.ts"
import { urls } from "./Urls.ts"

const allowing = (blocks: ReadonlyArray<string> = []): EgressPolicy => ({
  allowed: blocks.map(IpNetwork.fromStringUnsafe)
})
const nothing = allowing()
const modes = [true, false]
const modeName = (livemode: boolean) => (livemode ? "live" : "test")

const attempt = (url: string, livemode: boolean) =>
  Effect.flatMap(WebhookSender, (sender) => sender.send({ url, livemode, headers: {}, body: new Uint8Array(2) }))

const layer = (resolve: Resolve.Resolve, policy = nothing) =>
  UndiciSender.layer({ policy, resolve, attemptMillis: 2_000 })

const answering =
  (...addresses: ReadonlyArray<string>): Resolve.Resolve =>
  () =>
    Promise.resolve(addresses)

/** A name server without a response, so that only this machine's own names resolve. */
const alone = Resolve.make(["127.0.0.1:9"])

/** As the product looks names up, where a name server has this answer to every name. */
const resolving =
  (answer: ReadonlyArray<string>): Resolve.Resolve =>
  async (host) => {
    const known = await alone(host)
    return known.length > 0 ? known : answer
  }

/** How an attempt in the mode ends. */
const errorOf = (url: string, livemode: boolean, resolve: Resolve.Resolve) =>
  Effect.map(attempt(url, livemode), ({ error }) => error).pipe(Effect.provide(layer(resolve)))

const addressesOf = (ranges: ReadonlyArray<Range>) =>
  ranges.flatMap(({ edges, what, within }) =>
    [...new Set([...edges, ...within])].map((address): readonly [string, string] => [what, address])
  )
const besides = (ranges: ReadonlyArray<Range>) =>
  ranges.flatMap(({ beside, what }) => beside.map((address): readonly [string, string] => [what, address]))

const refused = addressesOf([...refusedV4, ...refusedV6])
const ofThisMachine = addressesOf(loopback)
const nextToRefused = besides([...refusedV4, ...loopback, ...refusedV6])
const allowed = allowances.flatMap(({ allowed, inside, outside }) => [
  ...inside.map((address) => [allowed, address, true] as const),
  ...outside.map((address) => [allowed, address, false] as const)
])

/** Every case has a name of its own, so that none is counted twice. */
const corpus = [
  ...refused.map(([, address]) => `address ${address}`),
  ...ofThisMachine.map(([, address]) => `address ${address}`),
  ...nextToRefused.map(([, address]) => `address ${address}`),
  ...publicOnes.map((address) => `address ${address}`),
  ...noAddresses.map((text) => `address ${text}`),
  ...allowed.map(([blocks, address]) => `${blocks.join()} ${address}`),
  ...spellings.map(([host]) => `host ${host}`),
  ...noHosts.map((host) => `host ${host}`),
  ...names.map(({ answer, host }) => `name ${host} ${answer.join()}`),
  ...sequences.map(({ what }) => `sequence ${what}`),
  ...redirects.map(([status, location]) => `redirect ${status} ${location}`),
  ...urls.map(([url]) => `url ${url}`)
]

it("the corpus has at least 500 cases, no two alike (P22)", () => {
  assert.isAtLeast(corpus.length, 500)
  assert.deepStrictEqual(corpus.length, new Set(corpus).size)
})

describe("an address", () => {
  for (const [what, address] of refused) {
    it(`of ${what} is refused in both modes: ${address}`, () => {
      for (const livemode of modes) assert.isFalse(allowsAddress(nothing, livemode, address))
    })
  }
  for (const [what, address] of ofThisMachine) {
    it(`of ${what} is let through in test mode alone: ${address}`, () => {
      assert.isFalse(allowsAddress(nothing, true, address))
      assert.isTrue(allowsAddress(nothing, false, address))
    })
  }
  for (const [what, address] of nextToRefused) {
    it(`next to ${what} is let through in both modes: ${address}`, () => {
      for (const livemode of modes) assert.isTrue(allowsAddress(nothing, livemode, address))
    })
  }
  for (const address of publicOnes) {
    it(`that is public is let through in both modes: ${address}`, () => {
      for (const livemode of modes) assert.isTrue(allowsAddress(nothing, livemode, address))
    })
  }
  for (const text of noAddresses) {
    it(`that is none is refused whatever is allowed: ${JSON.stringify(text)}`, () => {
      for (const livemode of modes) {
        assert.isFalse(allowsAddress(nothing, livemode, text))
        assert.isFalse(allowsAddress(allowing(["0.0.0.0/0", "::/0"]), livemode, text))
      }
    })
  }
  for (const [blocks, address, isIn] of allowed) {
    it(`${JSON.stringify(address)} is ${isIn ? "let through" : "refused"} where ${blocks.join(" and ")} is allowed`, () => {
      assert.strictEqual(allowsAddress(allowing(blocks), true, address), isIn)
      if (isIn) assert.isTrue(allowsAddress(allowing(blocks), false, address))
    })
  }

  it.live("that is refused is never connected to, whether a name means it or the URL names it", () =>
    Effect.forEach(
      refused,
      Effect.fnUntraced(function* ([, address]) {
        for (const livemode of modes) {
          assert.strictEqual(
            yield* errorOf("https://a.example/", livemode, answering(address)),
            "blocked_address",
            address
          )
          const isWritable = isIP(address) !== 0 && !address.includes("%")
          const url = address.includes(":") ? `https://[${address}]/` : `https://${address}/`
          if (isWritable) assert.strictEqual(yield* errorOf(url, livemode, answering()), "blocked_address", address)
        }
      }),
      { concurrency: 20 }
    )
  )
})

describe("a host in a URL, in live mode,", () => {
  for (const [host, address] of spellings) {
    it.live(`${host} is ${address}, and refused`, () =>
      Effect.gen(function* () {
        const url = `https://${host}/`
        assert.strictEqual(new URL(url).hostname.replace(/^\[|\]$/g, ""), address)
        assert.strictEqual(yield* errorOf(url, true, answering()), "blocked_address")
      })
    )
  }
  for (const host of noHosts) {
    it.live(`${JSON.stringify(host)} is none`, () =>
      Effect.gen(function* () {
        const url = `https://${host}/`
        assert.strictEqual(yield* errorOf(url, true, answering()), "invalid_url")
        for (const livemode of modes) assert.isString(refusalOfUrl(livemode, url))
      })
    )
  }
})

describe("a name", () => {
  for (const { answer, host, live, test, why } of names) {
    it.live(`${why}, ${host} (${answer.slice(0, 3).join(", ")}), ends as it must`, () =>
      Effect.gen(function* () {
        const { connections, port } = yield* Receivers.http((_, response) => void response.end("ok"))
        for (const scheme of ["http", "https"]) {
          const url = `${scheme}://${host}:${port}/`
          assert.strictEqual(yield* errorOf(url, true, resolving(answer)), live)
          if (test !== undefined) assert.strictEqual(yield* errorOf(url, false, resolving(answer)), test)
        }
        assert.strictEqual(connections(), 0)
      })
    )
  }
})

describe("a name that, from one connection to the next,", () => {
  for (const { allowed, answers, errors, livemode, what } of sequences) {
    it.live(`${what} is judged at each one, in ${modeName(livemode)} mode`, () =>
      Effect.gen(function* () {
        const { connections, port } = yield* Receivers.http(
          (_, response) => void response.setHeader("connection", "close").end("ok")
        )
        let asked = 0
        const resolve = () => Promise.resolve(answers[asked++] ?? [])
        const results = yield* Effect.forEach(answers, () => attempt(`http://a.example:${port}/`, livemode)).pipe(
          Effect.provide(layer(resolve, allowing(allowed)))
        )
        assert.deepStrictEqual(
          results.map(({ error }) => error),
          [...errors]
        )
        // One look-up each: the checked address is the one used.
        assert.strictEqual(asked, answers.length)
        assert.strictEqual(connections(), errors.filter((error) => error === null).length)
      })
    )
  }
})

describe("a redirect", () => {
  for (const [status, location] of redirects) {
    it.live(`of ${status} to ${JSON.stringify(location)} is not followed`, () =>
      Effect.gen(function* () {
        const target = yield* Receivers.http((_, response) => void response.end())
        let requests = 0
        const { port } = yield* Receivers.http((_, response) => {
          requests += 1
          response.writeHead(status, { location: location.replace("{port}", String(target.port)) }).end("over there")
        })
        const result = yield* attempt(`http://127.0.0.1:${port}/`, false).pipe(Effect.provide(layer(answering())))
        assert.deepInclude(result, { statusCode: status, bodySnippet: "over there", error: null })
        assert.deepStrictEqual([requests, target.connections()], [1, 0])
      })
    )
  }
})

describe("a webhook's URL", () => {
  for (const [url, taken] of urls) {
    it(`${JSON.stringify(url)} is taken in ${taken.length === 0 ? "no" : taken.join(" and ")} mode`, () => {
      for (const livemode of modes) {
        assert.strictEqual(refusalOfUrl(livemode, url) === undefined, taken.includes(modeName(livemode)))
      }
    })
  }
})
