/** Every list pages alike (service-api 4.4; contract 1, 14.16). */
import { assert, it } from "@effect/vitest"
import { toIso } from "@limbeck/core/time/Timestamp"
import { announce, versionOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

interface Item {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

const datasets = "/v1/distill/datasets"

const walked = [
  "/v1/tokens",
  "/v1/sources",
  "/v1/distill/loops",
  "/v1/distill/uploads",
  "/v1/distill/connectors",
  "/v1/distill/pulls",
  datasets,
  "/v1/distill/rewards",
  "/v1/distill/runs",
  "/v1/distill/reports",
  "/v1/distill/deployments",
  "/v1/distill/review_queues",
  "/v1/events"
]
const lists = [
  ...walked,
  "/v1/distill/calls",
  "/v1/distill/feedback",
  "/v1/distill/student_models",
  "/v1/events?order=asc",
  "/v1/webhook_endpoints"
]

const create = async (caller: Client, name: string) => expectStatus(await caller.post<Item>(datasets, { name }), 201)

const createMany = async (caller: Client, count: number) => {
  for (let index = 0; index < count; index++) await create(caller, `d${index}`)
}

const listAt = async (caller: Client, path: string) => expectStatus(await caller.get<ListOf<Item>>(path), 200)

const list = (caller: Client, query = "") => listAt(caller, datasets + query)

const namesOf = ({ data }: ListOf<Item>) => data.map(({ name }) => name)

const cursorOf = ({ next_cursor }: ListOf<unknown>) => encodeURIComponent(next_cursor ?? "")

onEachStorage("lists", (house) => {
  it("a limit is a whole number of at least 1", async () => {
    const { live } = await house.workspace()
    for (const path of lists) {
      const mark = path.includes("?") ? "&" : "?"
      for (const limit of ["0", "-1", "abc", "1.5", "", "1e2", "0x10", "%2B5", " 5"]) {
        assertInvalid(await live.get(`${path}${mark}limit=${limit}`), "limit")
      }
      expectStatus(await live.get(`${path}${mark}limit=1000`), 200)
    }
  })

  it("twenty are shown by default, and a hundred at most", async () => {
    const { live } = await house.workspace()
    await createMany(live, 102)
    assert.strictEqual((await list(live)).data.length, 20)
    assert.strictEqual((await list(live, "?limit=100")).data.length, 100)
    assert.strictEqual((await list(live, "?limit=1000")).data.length, 100)
    assert.strictEqual((await list(live, "?limit=99999999999999999999")).data.length, 100)
    assert.deepInclude(await list(live, "?limit=1000"), { has_more: true })
  })

  it("a walk from the newest sees each once, whatever is inserted meanwhile", async () => {
    const { live } = await house.workspace()
    await createMany(live, 7)
    const seen: Array<string> = []
    let page = await list(live, "?limit=3")
    seen.push(...namesOf(page))
    while (page.has_more) {
      await create(live, "newer")
      page = await list(live, `?limit=3&cursor=${cursorOf(page)}`)
      seen.push(...namesOf(page))
    }
    assert.deepStrictEqual(seen, ["d6", "d5", "d4", "d3", "d2", "d1", "d0"])
    assert.isNull(page.next_cursor)
  })

  it("a last page that is full has no more", async () => {
    const { live } = await house.workspace()
    await createMany(live, 2)
    const page = await list(live, "?limit=2")
    assert.deepInclude(page, { has_more: false, next_cursor: null })
    assert.deepStrictEqual(await list((await house.workspace()).live), { data: [], has_more: false, next_cursor: null })
  })

  it("the limit may change from page to page", async () => {
    const { live } = await house.workspace()
    await createMany(live, 5)
    const rest = await list(live, `?limit=100&cursor=${cursorOf(await list(live, "?limit=1"))}`)
    assert.deepStrictEqual(namesOf(rest), ["d3", "d2", "d1", "d0"])
  })

  it("a cursor that no list has given out is refused", async () => {
    const { live } = await house.workspace()
    for (const path of lists) {
      const mark = path.includes("?") ? "&" : "?"
      for (const cursor of ["", "garbage", "%00", "W10", "bnVsbA", "eyJhIjoxfQ", "1"]) {
        assertInvalid(await live.get(`${path}${mark}cursor=${cursor}`), "cursor")
      }
    }
  })

  it("a cursor of another list, other filters, another mode or workspace is refused", async () => {
    const { live, test } = await house.workspace()
    const other = (await house.workspace()).live
    await createMany(live, 2)
    const cursor = cursorOf(await list(live, "?limit=1"))
    for (const path of lists.filter((path) => path !== datasets)) {
      assertInvalid(await live.get(`${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`), "cursor")
    }
    assertInvalid(await live.get(`${datasets}?created_after=2020-01-01T00:00:00Z&cursor=${cursor}`), "cursor")
    for (const foreign of [test, other]) assertInvalid(await foreign.get(`${datasets}?cursor=${cursor}`), "cursor")
    expectStatus(await live.get(`${datasets}?cursor=${cursor}`), 200)
  })

  it("a cursor belongs to the filters it was made with", async () => {
    const { live } = await house.workspace()
    await announce(live)
    await announce(live)
    for (const name of ["a", "b"]) {
      const body = { url: `https://${name}.example/`, enabled_events: ["*"] }
      expectStatus(await live.post("/v1/webhook_endpoints", body), 201)
    }
    const after = "created_after=2020-01-01T00:00:00.000Z"
    for (const path of ["/v1/distill/uploads", "/v1/webhook_endpoints"]) {
      const page = expectStatus(await live.get<ListOf<Item>>(`${path}?limit=1&${after}`), 200)
      assertInvalid(await live.get(`${path}?cursor=${cursorOf(page)}`), "cursor")
      expectStatus(await live.get(`${path}?${after}&cursor=${cursorOf(page)}`), 200)
    }
  })

  it("created_after and created_before are exclusive", async () => {
    const { live } = await house.workspace()
    const items: Array<Item> = []
    for (const name of ["a", "b", "c"]) {
      items.push(await create(live, name))
      house.passTime(1_000)
    }
    const [a, b, c] = items as [Item, Item, Item]
    assert.deepStrictEqual(namesOf(await list(live, `?created_after=${a.created_at}`)), ["c", "b"])
    assert.deepStrictEqual(namesOf(await list(live, `?created_before=${c.created_at}`)), ["b", "a"])
    const between = `?created_after=${a.created_at}&created_before=${c.created_at}`
    assert.deepStrictEqual(namesOf(await list(live, between)), ["b"])
    const justBefore = toIso(Date.parse(b.created_at) - 1).replace("Z", "%2B00:00")
    assert.deepStrictEqual(namesOf(await list(live, `?created_after=${justBefore}`)), ["c", "b"])
  })

  it("a time that is not ISO 8601 is refused", async () => {
    const { live } = await house.workspace()
    for (const path of lists) {
      const mark = path.includes("?") ? "&" : "?"
      for (const name of ["created_after", "created_before"]) {
        for (const time of ["", "yesterday", "1700000000", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z"]) {
          assertInvalid(await live.get(`${path}${mark}${name}=${time}`), name)
        }
        expectStatus(await live.get(`${path}${mark}${name}=2026-01-01T00:00:00Z`), 200)
      }
    }
  })

  it("a parameter is given once", async () => {
    const { live } = await house.workspace()
    for (const path of lists) {
      const mark = path.includes("?") ? "&" : "?"
      assertInvalid(await live.get(`${path}${mark}limit=1&limit=1`), "limit")
    }
    assertInvalid(await live.get("/v1/events?type=*&type=*"), "type")
    assertInvalid(await live.get("/v1/distill/runs?status=queued&limit=1&status=failed"), "status")
  })

  it("a filter takes the values that there are", async () => {
    const { live } = await house.workspace()
    assertInvalid(await live.get("/v1/distill/runs?status=done"), "status")
    assertInvalid(await live.get("/v1/distill/runs?dry_run=yes"), "dry_run")
    assertInvalid(await live.get("/v1/events?order=random"), "order")
  })

  it("catalogs page too, in their own order", async () => {
    const { live, test } = await house.workspace()
    const models = Array.from({ length: 5 }, (_, index) => `m${index}`)
    const source = { name: "teachers", kind: "managed", base_url: "https://upstream.example/v1", models }
    expectStatus(await live.post("/v1/sources", source), 201)
    for (const path of ["/v1/models", "/v1/distill/student_catalog", "/v1/distill/compute_profiles"]) {
      const whole = (await listAt(live, path)).data
      assert.isAtLeast(whole.length, 2)
      const seen: Array<Item> = []
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: ListOf<Item> = await listAt(live, `${path}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
        seen.push(...page.data)
        cursor = page.next_cursor
      }
      assert.deepStrictEqual(seen, whole)
      assertInvalid(await live.get(`${path}?limit=0`), "limit")
      assertInvalid(await live.get(`${path}?cursor=abc`), "cursor")
      const { next_cursor } = await listAt(live, `${path}?limit=1`)
      assertInvalid(await test.get(`${path}?cursor=${next_cursor}`), "cursor")
    }
  })

  it("a cursor whose row has left a catalog is refused", async () => {
    const { live } = await house.workspace()
    const source = { name: "teachers", kind: "managed", base_url: "https://upstream.example/v1", models: ["a", "b"] }
    const { id } = expectStatus(await live.post<Item>("/v1/sources", source), 201)
    const { next_cursor } = await listAt(live, "/v1/models?limit=1")
    expectStatus(await live.patch(`/v1/sources/${id}`, { models: ["b"] }), 200)
    assertInvalid(await live.get(`/v1/models?cursor=${next_cursor}`), "cursor")
  })

  it("the rows of a version page like any other list", async () => {
    const { live } = await house.workspace()
    const rows = Array.from({ length: 30 }, (_, index) => ({
      messages: [{ role: "user", content: `q${index}` }],
      completion: "a"
    }))
    const { id } = await versionOf(live, rows)
    const path = `/v1/distill/dataset_versions/${id}/rows`
    const first = expectStatus(await live.get<ListOf<unknown>>(path), 200)
    assert.deepInclude(first, { has_more: true })
    const rest = expectStatus(await live.get<ListOf<unknown>>(`${path}?cursor=${cursorOf(first)}`), 200)
    assert.deepStrictEqual([first.data.length, rest.data.length, rest.has_more], [20, 10, false])
    assertInvalid(await live.get(`${path}?split=train&cursor=${cursorOf(first)}`), "cursor")
    assertInvalid(await live.get(`${path}?limit=0`), "limit")
    assertInvalid(await live.get(`${path}?split=both`), "split")
  })
})
