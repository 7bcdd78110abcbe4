// @effect-diagnostics globalFetch:off
/** The limits of a token's proxy calls, at two servers on one storage (contract 16.9). */
import type { RequestListener, ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Token, TokenWithSecret } from "@limbeck/api/TokensApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { calls, type Detail } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import type { House, Workspace } from "./support/House.ts"
import { chat } from "./support/Proxied.ts"
import { onTwoServers } from "./support/SharedStorages.ts"

type TokenView = typeof Token.Type
type TokenWithSecretView = typeof TokenWithSecret.Type

const tokens = "/v1/tokens"
const day = 24 * 3_600_000

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const completion = (usage: object | undefined) =>
  JSON.stringify({
    id: "c",
    choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
    ...(usage === undefined ? {} : { usage })
  })

const end = (response: ServerResponse, body: string) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(body)

/** One token of output, which is what the calls of these tests may have at most. */
const oneToken = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }

const answering =
  (usage: object | undefined = oneToken): RequestListener =>
  (_, response) =>
    end(response, completion(usage))

/** A dollar for each token of output: a call of one token costs a dollar, and no more. */
const dollarEach = (id: string) => ({ id, input_per_million: 0, output_per_million: 1_000_000 })
const models = [dollarEach("gpt-large"), dollarEach("gpt-mini"), dollarEach("other"), "unpriced"]

const routes = [
  "chat/completions",
  "completions",
  "responses",
  "embeddings",
  "messages",
  "v1/messages",
  "messages/count_tokens",
  "v1/messages/count_tokens",
  "decisions",
  "api/alpha/decisions",
  "systemone",
  "v1/systemone"
].map((path) => `/v1/proxy/${path}`)

const bodyOf = (model: string | null) => ({
  ...(model === null ? {} : { model }),
  max_tokens: 1,
  messages: [{ role: "user", content: "?" }]
})

interface AnsweredCall {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the answer of an upstream, or an envelope
  readonly body: any
}

const ask = async (
  house: House,
  secret: string,
  model: string | null = "gpt-large",
  path = chat
): Promise<AnsweredCall> => {
  const answer = await fetch(house.origin + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf(model))
  })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

const assertError = (
  { body, status }: AnsweredCall,
  expected: number,
  type: string,
  code: string,
  param: string | null = null
) => {
  assert.strictEqual(status, expected, JSON.stringify(body))
  assert.deepInclude(body.error, { type, code, param })
}

const statusesOf = (answers: ReadonlyArray<AnsweredCall>) => answers.map(({ status }) => status)

onTwoServers(
  "limits of a token",
  (first, second) => {
    const mint = async (caller: Client, limits: unknown, fields: object = {}) =>
      expectStatus(
        await caller.post<TokenWithSecretView>(tokens, { name: "app", scopes: ["proxy:write"], limits, ...fields }),
        201
      )

    /** A workspace whose default source behaves like this; a test token with limits, as upstreams of this machine are. */
    const begin = async (limits: unknown, listener: RequestListener = answering(), fields: object = {}) => {
      const workspace = await first.workspace()
      const base_url = upstream.base(listener)
      await create(workspace.test, { base_url, default: true, models, ...fields })
      return { workspace, base_url, token: await mint(workspace.test, limits) }
    }

    const callOf = async ({ test }: Workspace, { headers }: AnsweredCall) =>
      expectStatus(await test.get<Detail>(`${calls}/${headers.get("x-service-call-id") ?? ""}`), 200)

    it("are shown wherever the token is, changed by PATCH, and none by default (P1119)", async () => {
      const { test } = await first.workspace()
      const limits = { models: ["gpt-*", "svc:support"], requests_per_minute: 60, max_cost_usd_per_day: 2.5 }
      const { secret: _, ...token } = await mint(test, limits)
      assert.deepStrictEqual(token.limits, limits)
      const path = `${tokens}/${token.id}`
      assert.deepStrictEqual(expectStatus(await test.get<TokenView>(path), 200), token)
      assert.deepStrictEqual(expectStatus(await test.get<ListOf<TokenView>>(tokens), 200).data[0], token)
      const fewer = { requests_per_minute: 1 }
      const patched = expectStatus(await test.patch<TokenView>(path, { limits: fewer }), 200)
      assert.deepStrictEqual(patched, { ...token, limits: fewer })
      const named = expectStatus(await test.patch<TokenView>(path, { name: "renamed" }), 200)
      assert.deepStrictEqual(named, { ...token, name: "renamed", limits: fewer })
      assert.strictEqual(expectStatus(await test.patch<TokenView>(path, { limits: null }), 200).limits, null)
      for (const none of [undefined, null, {}]) assert.strictEqual((await mint(test, none)).limits, null)
    })

    it.each([
      [{ models: [] }, "limits.models"],
      [{ models: ["gpt", "g*t"] }, "limits.models[1]"],
      [{ models: [""] }, "limits.models[0]"],
      [{ models: "gpt" }, "limits.models"],
      [{ requests_per_minute: 0 }, "limits.requests_per_minute"],
      [{ requests_per_minute: 1.5 }, "limits.requests_per_minute"],
      [{ max_cost_usd_per_day: -1 }, "limits.max_cost_usd_per_day"],
      [{ max_cost_usd_per_day: 0.000_000_1 }, "limits.max_cost_usd_per_day"],
      [{ max_cost: 1 }, "limits.max_cost"],
      ["none", "limits"]
    ])("are refused as %j with their member (P1119)", async (limits, param) => {
      const { test } = await first.workspace()
      const { id } = await mint(test, null)
      assertInvalid(await test.post(tokens, { name: "app", scopes: ["proxy:write"], limits }), param)
      assertInvalid(await test.patch(`${tokens}/${id}`, { limits }), param)
    })

    it("refuse a model that is none of theirs on every route, before anything is sent (P1120)", async () => {
      const { base_url, token, workspace } = await begin({ models: ["gpt-mini", "gpt-large*"] })
      for (const path of routes) {
        for (const model of ["gpt-mini2", "other", "svc:alias", null]) {
          assertError(await ask(first, token.secret, model, path), 403, "permission_error", "permission_error", "model")
        }
      }
      const one = await fetch(`${first.origin}/v1/proxy/models/other`, {
        headers: { authorization: `Bearer ${token.secret}` }
      })
      assert.strictEqual(one.status, 403)
      assert.strictEqual(upstream.at(base_url).length, 0)
      assert.deepStrictEqual(expectStatus(await workspace.test.get<ListOf<Detail>>(calls), 200).data, [])
      for (const model of ["gpt-mini", "gpt-large", "gpt-large-2"]) {
        assert.strictEqual((await ask(second, token.secret, model)).status, 200)
      }
    })

    it("let a flood of 200 at two servers through as often as the rate of a minute, and say when it goes on (P1121)", async () => {
      const { base_url, token } = await begin({ requests_per_minute: 12 })
      const startedAt = performance.now()
      const flood = Array.from({ length: 200 }, (_, index) => ask(index % 2 === 0 ? first : second, token.secret))
      const answers = await Promise.all(flood)
      const refilled = Math.floor(((performance.now() - startedAt) / 60_000) * 12)
      const allowed = statusesOf(answers).filter((status) => status === 200).length
      assert.isAtLeast(allowed, 12)
      assert.isAtMost(allowed, 12 + refilled)
      assert.strictEqual(upstream.at(base_url).length, allowed)
      const refused = answers.find(({ status }) => status !== 200)
      assert.isDefined(refused)
      assertError(refused!, 429, "rate_limit_error", "rate_limit_error")
      assert.isAtLeast(Number(refused!.headers.get("retry-after")), 1)
      assert.isAtMost(Number(refused!.headers.get("retry-after")), 5)
    })

    it("hold the rate on every route of the proxy, and nowhere else (P1121)", async () => {
      const { token } = await begin({ requests_per_minute: 1 })
      assert.strictEqual((await ask(first, token.secret)).status, 200)
      for (const path of routes) assert.strictEqual((await ask(second, token.secret, "gpt-mini", path)).status, 429)
      for (const path of ["models", "v1/models", "models/gpt-mini"]) {
        const headers = { authorization: `Bearer ${token.secret}` }
        assert.strictEqual((await fetch(`${first.origin}/v1/proxy/${path}`, { headers })).status, 429)
      }
      assert.strictEqual((await first.client(token.secret).get("/v1/whoami")).status, 200)
      for (const house of [first, second]) house.passTime(60_000)
      assert.strictEqual((await ask(first, token.secret)).status, 200)
    })

    it("let 50 of 200 callers at two servers through a budget of 50 calls, and never pass it (P1122)", async () => {
      const waiting: Array<ServerResponse> = []
      let isOpen = false
      const { base_url, token, workspace } = await begin({ max_cost_usd_per_day: 50 }, (_, response) => {
        if (isOpen) end(response, completion(oneToken))
        else waiting.push(response)
      })
      let refused = 0
      const flood = Array.from({ length: 200 }, async (_, index) => {
        const answer = await ask(index % 2 === 0 ? first : second, token.secret)
        if (answer.status === 402 && ++refused === 150) {
          // Who is not refused is with the upstream, or on the way there.
          await readUntil(
            async () => ({ status: 200, headers: new Headers(), text: "", body: waiting.length }),
            (count) => count === 50
          )
          isOpen = true
          for (const response of waiting) end(response, completion(oneToken))
        }
        return answer
      })
      const answers = await Promise.all(flood)
      assert.strictEqual(statusesOf(answers).filter((status) => status === 200).length, 50)
      const loser = answers.find(({ status }) => status !== 200)
      assertError(loser!, 402, "quota_error", "quota")
      assert.strictEqual(upstream.at(base_url).length, 50)
      const last = answers.findLast(({ status }) => status === 200)
      assert.strictEqual((await callOf(workspace, last!)).cost_usd, 1)
      for (const house of [first, second]) assertError(await ask(house, token.secret), 402, "quota_error", "quota")
    })

    it("count what a call has cost in place of what it could have cost (P1122)", async () => {
      const { token, workspace } = await begin(
        { max_cost_usd_per_day: 2 },
        answering({ ...oneToken, completion_tokens: 0 })
      )
      for (let index = 0; index < 4; index++) {
        const answer = await ask(index % 2 === 0 ? first : second, token.secret)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual((await callOf(workspace, answer)).cost_usd, 0)
      }
    })

    it("count a call without usage at what it could have cost, and a failed one not at all (P1122)", async () => {
      const uncounted: RequestListener = (_, response) => end(response, completion(undefined))
      const { token, workspace } = await begin({ max_cost_usd_per_day: 1 }, uncounted)
      await callOf(workspace, await ask(first, token.secret))
      assertError(await ask(second, token.secret), 402, "quota_error", "quota")
      const failing = await begin({ max_cost_usd_per_day: 1 }, (_, response) => void response.writeHead(500).end("{}"))
      for (let index = 0; index < 3; index++) {
        const answer = await ask(first, failing.token.secret)
        assert.strictEqual(answer.status, 500)
        await callOf(failing.workspace, answer)
      }
    })

    it("count calls that are not captured, and capture none for it (P1122)", async () => {
      const { token, workspace } = await begin({ max_cost_usd_per_day: 2 }, answering(), {
        capture: { enabled: false }
      })
      assert.deepStrictEqual(statusesOf([await ask(first, token.secret), await ask(second, token.secret)]), [200, 200])
      assertError(await ask(first, token.secret), 402, "quota_error", "quota")
      assert.deepStrictEqual(expectStatus(await workspace.test.get<ListOf<Detail>>(calls), 200).data, [])
    })

    it("begin anew with each UTC day (P1122)", async () => {
      const { token, workspace } = await begin({ max_cost_usd_per_day: 1 })
      await callOf(workspace, await ask(first, token.secret))
      assert.strictEqual((await ask(first, token.secret)).status, 402)
      for (const house of [first, second]) house.passTime(day)
      assert.strictEqual((await ask(second, token.secret)).status, 200)
    })

    it("refuse a call whose price nobody knows, where they limit its cost (P1123)", async () => {
      const { base_url, token } = await begin({ max_cost_usd_per_day: 50 })
      for (const model of ["unpriced", "unknown"]) {
        assertError(await ask(first, token.secret, model), 402, "quota_error", "quota")
      }
      assert.strictEqual(upstream.at(base_url).length, 0)
    })

    it("stay with a rotated token, and what was used of them (P1124)", async () => {
      const limits = { requests_per_minute: 3, max_cost_usd_per_day: 50 }
      const { token, workspace } = await begin(limits)
      for (let index = 0; index < 2; index++) assert.strictEqual((await ask(first, token.secret)).status, 200)
      const rotated = await workspace.test.post<TokenWithSecretView>(`${tokens}/${token.id}/rotate`, {
        expires_in_seconds: 600
      })
      const fresh = expectStatus(rotated, 200)
      assert.deepStrictEqual(fresh.limits, limits)
      assert.strictEqual((await ask(second, fresh.secret)).status, 200)
      for (const { secret } of [token, fresh]) assert.strictEqual((await ask(first, secret)).status, 429)
      const again = expectStatus(
        await workspace.test.post<TokenWithSecretView>(`${tokens}/${fresh.id}/rotate`, {}),
        200
      )
      assert.strictEqual((await ask(first, again.secret)).status, 429)
    })

    it("hold for a token and all that it makes together, at two servers (P1394)", async () => {
      const limits = { max_cost_usd_per_day: 20 }
      const { base_url, workspace } = await begin(null)
      const scopes = ["tokens:write", "proxy:write"]
      const maker = await mint(workspace.test, limits, { scopes })
      const children: Array<TokenWithSecretView> = []
      for (let index = 0; index < 4; index++) {
        children.push(await mint(first.client(maker.secret), limits, { scopes }))
        children.push(await mint(first.client(children.at(-1)!.secret), { max_cost_usd_per_day: 15 }))
      }
      const rotated = await workspace.test.post<TokenWithSecretView>(`${tokens}/${children[0]!.id}/rotate`, {})
      const secrets = [maker, ...children.slice(1), expectStatus(rotated, 200)].map(({ secret }) => secret)
      const flood = await Promise.all(
        Array.from({ length: 90 }, (_, index) =>
          ask(index % 2 === 0 ? first : second, secrets[index % secrets.length]!)
        )
      )
      // Tokens of the third generation stop at 15 of all.
      const passed = statusesOf(flood).filter((status) => status === 200).length
      assert.isAtLeast(passed, 15)
      for (const secret of [maker.secret, ...secrets]) {
        while ((await ask(second, secret)).status === 200) assert.isAtMost(upstream.at(base_url).length, 20)
      }
      assert.strictEqual(upstream.at(base_url).length, 20)
      // Who was made by another token is counted by itself.
      const other = await mint(workspace.test, limits)
      assert.strictEqual((await ask(first, other.secret)).status, 200)
    })

    it("hold for live calls and test calls together, at two servers (P1535)", async () => {
      const { base_url, workspace } = await begin(null)
      await create(workspace.live, { base_url, default: true, models })
      const limits = { max_cost_usd_per_day: 10, requests_per_minute: 60 }
      const maker = await mint(workspace.live, limits, { scopes: ["tokens:write", "proxy:write"] })
      const made = await mint(first.client(maker.secret), limits, { environment: "test" })
      assert.strictEqual(made.livemode, false)
      const callers = [
        [first, maker.secret],
        [second, made.secret],
        [second, maker.secret],
        [first, made.secret]
      ] as const
      const flood = Array.from({ length: 40 }, (_, index) => ask(...callers[index % callers.length]!))
      const passed = statusesOf(await Promise.all(flood)).filter((status) => status === 200).length
      // A call under way is reserved at what it costs, so that exactly the day's cost passes.
      assert.strictEqual(passed, 10)
      assert.strictEqual(upstream.at(base_url).length, 10)
      for (const [house, secret] of callers) assertError(await ask(house, secret), 402, "quota_error", "quota")
      // A second gives a request back, so that one server may be asked before it and the other after it.
      const askBoth = async () => [await ask(first, made.secret), await ask(second, maker.secret)]
      let answers = await askBoth()
      for (let asked = 46; statusesOf(answers).includes(402); asked += 2) {
        assert.isAtMost(asked, 80)
        answers = await askBoth()
      }
      for (const answer of answers) assertError(answer, 429, "rate_limit_error", "rate_limit_error")
    })

    it("let a token and all that it makes take from one bucket, whatever the sizes of theirs (P1394)", async () => {
      const { workspace } = await begin(null)
      const scopes = ["tokens:write", "proxy:write"]
      const maker = await mint(workspace.test, { requests_per_minute: 10 }, { scopes })
      const made = (perMinute: number) => mint(first.client(maker.secret), { requests_per_minute: perMinute })
      const [one, nine] = [await made(1), await made(9)]
      assert.strictEqual((await ask(first, one.secret)).status, 200)
      // A small bucket is empty, and takes nothing from the larger ones by it.
      assert.strictEqual((await ask(second, one.secret)).status, 429)
      for (let index = 0; index < 8; index++) assert.strictEqual((await ask(second, nine.secret)).status, 200)
      assert.strictEqual((await ask(first, nine.secret)).status, 429)
      assert.strictEqual((await ask(second, maker.secret)).status, 200)
      assert.strictEqual((await ask(first, maker.secret)).status, 429)
      for (const house of [first, second]) house.passTime(6_000)
      assert.strictEqual((await ask(first, one.secret)).status, 429)
      assert.strictEqual((await ask(first, maker.secret)).status, 200)
    })

    it("are as wide in no token that a limited one makes, changes or rotates (P1125)", async () => {
      const { test } = await first.workspace()
      const own = { models: ["gpt-*", "exact"], requests_per_minute: 10, max_cost_usd_per_day: 5 }
      const scopes = ["tokens:write", "proxy:write"]
      const limited = first.client((await mint(test, own, { scopes })).secret)
      const wider = [
        [{ ...own, models: ["gpt*"] }, "limits.models"],
        [{ ...own, models: ["gpt-4", "exact*"] }, "limits.models"],
        [{ requests_per_minute: 10, max_cost_usd_per_day: 5 }, "limits.models"],
        [{ ...own, requests_per_minute: 11 }, "limits.requests_per_minute"],
        [{ models: ["exact"], max_cost_usd_per_day: 5 }, "limits.requests_per_minute"],
        [{ ...own, max_cost_usd_per_day: 5.000_001 }, "limits.max_cost_usd_per_day"],
        [null, "limits"]
      ] as const
      const narrower = await mint(limited, { ...own, models: ["gpt-4*", "exact"], requests_per_minute: 9 })
      for (const [limits, param] of wider) {
        const body = { name: "app", scopes: ["proxy:write"], limits }
        assertRefused(await limited.post(tokens, body), 403, "permission_error", param)
        assertRefused(await limited.patch(`${tokens}/${narrower.id}`, { limits }), 403, "permission_error", param)
      }
      assertRefused(
        await limited.post(tokens, { name: "app", scopes: ["proxy:write"] }),
        403,
        "permission_error",
        "limits"
      )
      const free = await mint(test, null)
      assertRefused(await limited.post(`${tokens}/${free.id}/rotate`, {}), 403, "permission_error", "limits")
      expectStatus(await limited.post(`${tokens}/${narrower.id}/rotate`, {}), 200)
      expectStatus(await limited.patch(`${tokens}/${free.id}`, { limits: own }), 200)
    })
  },
  { egressAllow: ["127.0.0.0/8"] }
)
