/** A report shown by a link, to every holder of the link, until it expires (contract 4, 14.3, 14.14). */
import { assert, it } from "@effect/vitest"
import type { Report, ReportShare } from "@limbeck/api/ReportsApi"
import type { Upload } from "@limbeck/api/UploadsApi"
import { createRun, dryRun, endedRun, freshKey, ticketsVersion } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type Share = typeof ReportShare.Type
type ReportView = typeof Report.Type

const week = 7 * 86_400_000
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

onEachStorage(
  "a shared report",
  (house) => {
    const reported = async (caller: Client) => {
      const version = await ticketsVersion(caller)
      const { report } = await endedRun(caller, expectStatus(await createRun(caller, dryRun(version.id)), 201).id)
      return `/v1/distill/reports/${report}`
    }
    const share = async (caller: Client, path: string, body?: unknown) =>
      expectStatus(await caller.post<Share>(`${path}/share`, body), 200)
    const anybody = () => house.client(null)
    const open = (token: string, headers = {}) => anybody().get<ReportView>(`/v1/shared/reports/${token}`, headers)

    it("is read by holders of the link, without a token, for a week by default", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      const before = house.now()
      const { expires_at, token, url } = await share(live, path)
      assert.strictEqual(url, `https://limbeck.example/v1/shared/reports/${token}`)
      assert.isTrue(Date.parse(expires_at) >= before + week && Date.parse(expires_at) <= house.now() + week)
      assert.deepStrictEqual(expectStatus(await open(token), 200), (await live.get<ReportView>(path)).body)
      const briefly = await share(live, path, { expires_in_seconds: 60 })
      assert.isAtMost(Date.parse(briefly.expires_at), house.now() + 60_000)
    })

    it("is a page for those who ask for one: by itself, and with nothing that could run or be fetched", async () => {
      const { live } = await house.workspace()
      const { token } = await share(live, await reported(live))
      const page = await open(token, browser)
      assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
      assert.match(
        page.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/
      )
      assert.include(page.text, "rehearsal")
      for (const headers of [page.headers, (await open(token)).headers]) {
        assert.strictEqual(headers.get("cache-control"), "private, no-store")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("vary"), "Accept")
      }
      for (const accept of ["*/*", "application/json", "text/html;q=0.1, application/json", "text/html;q=0"]) {
        assert.include((await open(token, { accept })).headers.get("content-type"), "application/json", accept)
      }
      const head = await anybody().send("HEAD", `/v1/shared/reports/${token}`, { headers: browser })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
    })

    it("is called by the name of its dataset (P1758)", async () => {
      const { live } = await house.workspace()
      const { token } = await share(live, await reported(live))
      const page = await open(token, browser)
      assert.include(page.text, "<title>Rehearsal, of \u2068tickets\u2069</title>")
    })

    it("is gone when its time is over, at once when it is revoked, and when another link replaces it (P53)", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      const first = await share(live, path, { expires_in_seconds: 1 })
      house.passTime(1_000)
      assertRefused(await open(first.token), 410, "gone")
      assertRefused(await open(first.token, browser), 410, "gone")

      const second = await share(live, path)
      const third = await share(live, path)
      assertRefused(await open(second.token), 410, "gone")
      expectStatus(await open(third.token), 200)

      const deleted = expectStatus(await live.delete(`${path}/share`), 200)
      const id = path.split("/").at(-1)
      assert.deepStrictEqual<unknown>(deleted, { id, object: "distill_report_share", deleted: true })
      for (const { token } of [first, second, third]) assertRefused(await open(token), 410, "gone")
      assertRefused(await live.delete(`${path}/share`), 404, "not_found_error")
      expectStatus(await open((await share(live, path)).token), 200)
      expectStatus(await live.get(path), 200)
    })

    it("has one link, also when it is shared twice at the same time", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      const shares = await Promise.all(Array.from({ length: 8 }, () => share(live, path)))
      const statuses = await Promise.all(shares.map(async ({ token }) => (await open(token)).status))
      assert.deepStrictEqual(
        statuses.toSorted((a, b) => a - b),
        [200, ...Array.from({ length: 7 }, () => 410)]
      )
    })

    it("has a link that tells nothing of the workspace (P126)", async () => {
      const { id, live } = await house.workspace()
      const tokens = await Promise.all([0, 1].map(async () => (await share(live, await reported(live))).token))
      for (const token of tokens) assert.match(token, /^[0-9A-Za-z]{43}$/)
      const uploads = await Promise.all(
        [0, 1].map(() =>
          live.post<typeof Upload.Type>("/v1/distill/uploads", { filename: "a", format: "chat_jsonl" }, freshKey())
        )
      )
      const links = [...tokens, ...uploads.map((answer) => expectStatus(answer, 201).upload_url ?? "")]
      for (const link of links) {
        for (const part of [
          link,
          ...link.split(/[.=/]/).map((text) => Buffer.from(text, "base64url").toString("latin1"))
        ]) {
          assert.notInclude(part, id)
        }
      }
    })

    it("is not found by a token that never was", async () => {
      const { id, live } = await house.workspace()
      const { token } = await share(live, await reported(live))
      const named = Buffer.from(`${id}.live`).toString("base64url")
      const forged = ["0".repeat(43), `${named}.${token}`, `${named}.${"0".repeat(43)}`, token.slice(1), named]
      for (const token of [...forged, "x", "%00", "a".repeat(1_500)]) {
        const answer = await open(token)
        assertRefused(answer, 404, "not_found_error")
        assert.notInclude(answer.text, token.slice(0, 20).padEnd(20, "-"))
      }
    })

    it("is shared once per key, and the answer again is the same link", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      const key = freshKey()
      const first = await live.post<Share>(`${path}/share`, {}, key)
      const again = await live.post<Share>(`${path}/share`, {}, key)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(again.text, first.text)
      expectStatus(await open(first.body.token), 200)
    })

    it("is told by no event, and its report does not say who may read it", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      const { token } = await share(live, path)
      const events = await live.get<ListOf<unknown>>("/v1/events?limit=100")
      for (const { text } of [events, await live.get(path), await live.get("/v1/distill/reports")]) {
        for (const part of token.split(".")) assert.notInclude(text, part)
      }
    })

    it("is not shared for a time that is none, or too long, and not when it is not there", async () => {
      const { live } = await house.workspace()
      const path = await reported(live)
      for (const expires_in_seconds of [0, -1, 1.5, "60", 365 * 86_400 + 1]) {
        assertInvalid(await live.post(`${path}/share`, { expires_in_seconds }), "expires_in_seconds")
      }
      assertInvalid(await live.post(`${path}/share`, { expires_in: 1 }), "expires_in")
      expectStatus(await live.post(`${path}/share`, { expires_in_seconds: 365 * 86_400 }), 200)
      assertRefused(await live.post("/v1/distill/reports/rpt_none/share"), 404, "not_found_error")
      assertRefused(await live.delete("/v1/distill/reports/rpt_none/share"), 404, "not_found_error")
    })
  },
  { settings: { publicUrl: "https://limbeck.example" } }
)
