/** The balance, the ledger and usage over HTTP, and what is refused for a balance (contract 3, 5, 14.28; service-api 5.5, 7.3). */
import { assert, it } from "@effect/vitest"
import type { Balance, LedgerEntry, Usage } from "@limbeck/api/BillingApi"
import type { Event } from "@limbeck/api/EventsApi"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import { type Client, expectStatus, type ListOf } from "@limbeck/testing/http/Client"
import { createRun, endedRun, freshKey, ticketsVersion } from "@limbeck/testing/http/Steps"
import { assertRefused } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

type Entry = typeof LedgerEntry.Type

const balanceOf = async (caller: Client) =>
  expectStatus(await caller.get<typeof Balance.Type>("/v1/billing/balance"), 200)
const ledgerOf = async (caller: Client, query = "") =>
  expectStatus(await caller.get<ListOf<Entry>>(`/v1/billing/ledger${query}`), 200)
const usageOf = async (caller: Client, query = "") =>
  expectStatus(await caller.get<ListOf<typeof Usage.Type>>(`/v1/billing/usage${query}`), 200)

const sum = (values: ReadonlyArray<number>) => Math.round(values.reduce((total, value) => total + value * 1e6, 0)) / 1e6
const amountsOf = ({ data }: ListOf<Entry>) => data.map(({ amount_usd, kind }) => [kind, amount_usd])

onEachStorage(
  "billing",
  (house) => {
    const begin = async () => {
      const workspace = await house.workspace()
      return { workspace, live: workspace.live, test: workspace.test }
    }

    it("a fresh workspace has nothing, in both modes; only live mode is enforced", async () => {
      const { live, test } = await begin()
      assert.deepStrictEqual(await balanceOf(live), { object: "balance", balance_usd: 0, enforced: true })
      assert.deepStrictEqual(await balanceOf(test), { object: "balance", balance_usd: 0, enforced: false })
      for (const caller of [live, test]) {
        const none = { data: [], has_more: false, next_cursor: null }
        assert.deepStrictEqual(await ledgerOf(caller), none)
        assert.deepStrictEqual(await usageOf(caller), none)
      }
    })

    it("a top-up is the host's: no token may make one, and the same reference counts once (P151)", async () => {
      const { live, workspace } = await begin()
      assertRefused(await live.post("/v1/billing/top_ups", { amount_usd: 5 }), 403, "permission_error")
      const first = await house.topUp(workspace, 12.345678, "invoice 7")
      assert.deepStrictEqual(await house.topUp(workspace, 12.345678, "invoice 7"), first)
      const refused = await house.topUp(workspace, 12, "invoice 7").catch((error: unknown) => error)
      assert.deepInclude(refused, { _tag: "TopUpReused", reference: "invoice 7", postedMicros: 12_345_678 })
      const [entry, ...others] = (await ledgerOf(live)).data
      assert.isEmpty(others)
      assert.match(entry?.id ?? "", /^led_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepInclude(entry, {
        object: "ledger_entry",
        amount_usd: 12.345678,
        kind: "top_up",
        reference: "invoice 7"
      })
      assert.strictEqual((await balanceOf(live)).balance_usd, 12.345678)
    })

    it("an amount that cannot be, and a reference that is none, are refused by their field", async () => {
      const { workspace } = await begin()
      for (const amount of [0, -1, 0.000_000_1, Number.NaN, Number.POSITIVE_INFINITY, 1e10]) {
        const error = await house.topUp(workspace, amount, "x").catch((refused: unknown) => refused)
        assert.deepInclude(error, { _tag: "InvalidInput", param: "amount_usd" })
      }
      for (const reference of ["", " ", "x".repeat(256)]) {
        const error = await house.topUp(workspace, 1, reference).catch((refused: unknown) => refused)
        assert.deepInclude(error, { _tag: "InvalidInput", param: "reference" })
      }
    })

    it("a run without a balance is a 402 that leaves nothing; with one, the same key makes the run (P155)", async () => {
      const { live, workspace } = await begin()
      const { id: version } = await ticketsVersion(live)
      const body = { ...planOf(version, {}, 3), dry_run: false }
      const key = freshKey()
      for (let turn = 0; turn < 2; turn++) {
        const refused = await createRun(live, body, key)
        assertRefused(refused, 402, "quota")
        assert.include(refused.text, '"type":"quota_error"')
        assert.match(refused.text, /The balance of \$0 does not cover the \$3 .* top up the balance/)
      }
      assert.isEmpty((await live.get<ListOf<unknown>>("/v1/distill/runs")).body.data)
      assert.isEmpty((await live.get<ListOf<typeof Event.Type>>("/v1/events?type=distill.run.*")).body.data)
      await house.topUp(workspace, 5)
      const { id } = expectStatus(await createRun(live, body, key), 201)
      const replay = await createRun(live, body, key)
      assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")
      await endedRun(live, id)
      await house.audit(workspace)
      const { data } = await ledgerOf(live)
      assert.strictEqual(data.filter(({ kind, reference }) => kind === "hold" && reference === id).length, 1)
    })

    it("the amounts of the ledger sum to the balance while a run goes on and when it has ended (P150)", async () => {
      const { live, workspace } = await begin()
      await house.topUp(workspace, 8)
      const { id: version } = await ticketsVersion(live)
      const run = expectStatus(await createRun(live, { ...planOf(version, {}, 7), dry_run: false }), 201)
      for (const done of [false, true]) {
        if (done) await endedRun(live, run.id)
        const { held } = await house.audit(workspace)
        if (done) assert.strictEqual(held, 0)
      }
      const ended = await endedRun(live, run.id)
      const entries = (await ledgerOf(live)).data
      const { balance_usd } = await balanceOf(live)
      assert.strictEqual(sum(entries.map(({ amount_usd }) => amount_usd)), balance_usd)
      assert.strictEqual(balance_usd, sum([8, -ended.totals.cost_usd]))
      const used = (await usageOf(live)).data
      assert.strictEqual(sum(used.map(({ cost_usd }) => cost_usd)), ended.totals.cost_usd)
      for (const { date, kind, object } of used) {
        assert.strictEqual(object, "usage")
        assert.match(date, /^\d{4}-\d\d-\d\d$/)
        assert.oneOf(kind, ["training", "judging"])
      }
    })

    it("runs share one balance: the second is refused until the first gives its hold back (P152)", async () => {
      const { live, workspace } = await begin()
      await house.topUp(workspace, 5)
      const { id: version } = await ticketsVersion(live)
      const body = { ...planOf(version, {}, 4), dry_run: false }
      const answers = await Promise.all(Array.from({ length: 6 }, () => createRun(live, body, freshKey())))
      const made = answers.filter(({ status }) => status === 201)
      assert.strictEqual(answers.filter(({ status }) => status === 402).length, 6 - made.length)
      for (const { body: run } of made) await endedRun(live, run.id)
      await house.audit(workspace)
      const again = expectStatus(await createRun(live, { ...body, budget: { max_cost_usd: 1 } }, freshKey()), 201)
      await endedRun(live, again.id)
      assert.strictEqual((await house.audit(workspace)).held, 0)
    })

    it("of retries at once one takes its hold, and the others are told (P151)", async () => {
      const { live, workspace } = await begin()
      await house.topUp(workspace, 50)
      const { id: version } = await ticketsVersion(live)
      const { id } = expectStatus(await createRun(live, { ...planOf(version, {}, 4), dry_run: false }), 201)
      await live.post(`/v1/distill/runs/${id}/cancel`, {})
      if ((await endedRun(live, id)).status !== "canceled") return
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => live.post(`/v1/distill/runs/${id}/retry`, {}, freshKey()))
      )
      assert.sameMembers(
        answers.map(({ status }) => status),
        [200, 409, 409, 409, 409, 409]
      )
      await endedRun(live, id)
      assert.strictEqual((await house.audit(workspace)).held, 0)
    })

    it("test mode is never refused and never charged (P156)", async () => {
      const { test, workspace } = await begin()
      const { id: version } = await ticketsVersion(test)
      const { id } = expectStatus(await createRun(test, { ...planOf(version, {}, 900), dry_run: false }), 201)
      assert.strictEqual((await endedRun(test, id)).status, "succeeded")
      assert.deepStrictEqual(await house.audit(workspace, false), { funding: 0, available: 0, held: 0, spent: 0 })
      assert.strictEqual((await house.audit(workspace)).spent, 0)
    })

    it("the ledger is paged newest first, with the filters of every list", async () => {
      const { live, workspace } = await begin()
      for (let n = 1; n <= 5; n++) await house.topUp(workspace, n)
      const all = await ledgerOf(live)
      assert.deepStrictEqual(
        amountsOf(all),
        [5, 4, 3, 2, 1].map((amount) => ["top_up", amount])
      )
      const first = await ledgerOf(live, "?limit=2")
      assert.isTrue(first.has_more)
      const rest = await ledgerOf(live, `?cursor=${encodeURIComponent(first.next_cursor ?? "")}`)
      assert.deepStrictEqual([...first.data, ...rest.data], all.data)
      assert.isEmpty((await ledgerOf(live, "?created_before=2020-01-01T00:00:00Z")).data)
      assertRefused(await live.get("/v1/billing/ledger?limit=0"), 400, "invalid_request_error", "limit")
      assertRefused(await live.get("/v1/billing/usage?cursor=x"), 400, "invalid_request_error", "cursor")
    })

    it("billing:read is asked for, and is enough", async () => {
      const { live } = await begin()
      const mint = async (scope: string) => {
        const token = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "n", scopes: [scope] })
        return house.client(expectStatus(token, 201).secret)
      }
      const [reader, other] = [await mint("billing:read"), await mint("billing:write")]
      for (const path of ["balance", "ledger", "usage"]) {
        expectStatus(await reader.get(`/v1/billing/${path}`), 200)
        assertRefused(await other.get(`/v1/billing/${path}`), 403, "permission_error")
        assertRefused(await house.client(null).get(`/v1/billing/${path}`), 401, "authentication_error")
      }
    })

    it("a balance that falls below the threshold is an event, and a webhook may ask for it", async () => {
      const { live, workspace } = await begin()
      await house.topUp(workspace, 6)
      const { id: version } = await ticketsVersion(live)
      const { id } = expectStatus(await createRun(live, { ...planOf(version, {}, 2), dry_run: false }), 201)
      await endedRun(live, id)
      const { data } = (await live.get<ListOf<typeof Event.Type>>("/v1/events?type=billing.*")).body
      assert.strictEqual(data.length, 1)
      assert.deepStrictEqual<unknown>(data[0]?.data.object, {
        id: workspace.id,
        object: "balance",
        balance_usd: 4,
        enforced: true,
        status: "low",
        threshold_usd: 5
      })
    })
  },
  { takesLiveRuns: true, settings: { billingEnforced: true, balanceLowUsd: 5 } }
)
