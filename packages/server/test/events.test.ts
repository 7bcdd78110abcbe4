/** Events: the catalog, the list, the forward walk (service-api 2.7, 6; contract 1, 8). */
import { assert, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import type { StoredEvent } from "@limbeck/core/events/Event"
import { createRun, dryRun, endedRun, linesOf, row, ticketsVersion, uploadOf } from "@limbeck/testing/http/Steps"
import { partitionOf } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type EventView = typeof Event.Type

const list = async (caller: Client, query = "") =>
  expectStatus(await caller.get<ListOf<EventView>>(`/v1/events${query}`), 200)

const typesOf = ({ data }: ListOf<EventView>) => data.map(({ type }) => type)

/** A forward walk always returns a cursor. */
const resume = ({ next_cursor }: ListOf<EventView>) => {
  assert.isString(next_cursor)
  return `?order=asc&cursor=${encodeURIComponent(next_cursor ?? "")}`
}

const catalog = [
  "billing.balance_low",
  "distill.dataset_version.failed",
  "distill.dataset_version.ready",
  "distill.deployment.drifted",
  "distill.deployment.failed",
  "distill.deployment.guarded",
  "distill.deployment.ready",
  "distill.deployment.retired",
  "distill.pull.failed",
  "distill.pull.succeeded",
  "distill.report.ready",
  "distill.run.canceled",
  "distill.run.created",
  "distill.run.failed",
  "distill.run.retried",
  "distill.run.stage_succeeded",
  "distill.run.started",
  "distill.run.succeeded",
  "distill.upload.failed",
  "distill.upload.succeeded",
  "message.completed",
  "webhook_endpoint.disabled"
]

const rehearse = async (caller: Client) => {
  const version = await ticketsVersion(caller)
  const { id } = expectStatus(await createRun(caller, dryRun(version.id)), 201)
  return endedRun(caller, id)
}

const story = [
  "distill.upload.succeeded",
  "distill.dataset_version.ready",
  "distill.run.created",
  "distill.run.started",
  "distill.run.stage_succeeded",
  "distill.run.stage_succeeded",
  "distill.report.ready",
  "distill.run.succeeded"
]

onEachStorage("events", (house) => {
  it("are not filtered by a type that no event can have: the refusal names the nearest (P946)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    for (const [type, nearest] of [
      ["distill*", "distill.*"],
      ["distill.run.succeded", "distill.run.succeeded"],
      ["distill.runs.*", "distill.run.*"],
      ["message.complete", "message.completed"],
      ["%00", ""],
      ["x".repeat(4_000), ""]
    ] as const) {
      for (const order of ["asc", "desc"]) {
        const answer = await live.get(`/v1/events?type=${type}&order=${order}`)
        assertInvalid(answer, "type")
        assert.include(answer.text, `The nearest is ${nearest}`)
      }
    }
    for (const type of ["*", "distill.*", "distill.run.*", "webhook_endpoint.disabled"]) {
      assert.deepStrictEqual((await list(live, `?type=${type}`)).data, [])
    }
    // The host registered this type once, and no longer does.
    await ticketsVersion(live)
    const known = firstOf(await list(live))
    const event = { type: "order.paid", createdAt: house.now(), body: JSON.stringify({ ...known, type: "order.paid" }) }
    const other = await house.workspace()
    // The id of an event has its form.
    const stored = { ...event, id: known.id } as StoredEvent
    await house.withStored(({ events }) => events.append(partitionOf(other), [stored]))
    for (const type of ["order.paid", "order.*"]) {
      assert.lengthOf((await list(other.live, `?type=${type}`)).data, 1)
    }
    assertInvalid(await other.live.get("/v1/events?type=order.refunded"), "type")
  })

  it("the catalog is public, whole, and not paged", async () => {
    const answer = await house.client(null).get<ListOf<{ readonly type: string }>>("/v1/event_types")
    const { data, ...rest } = expectStatus(answer, 200)
    assert.deepStrictEqual(rest, { has_more: false, next_cursor: null })
    assert.deepStrictEqual(data.map(({ type }) => type).toSorted(), catalog)
  })

  it("a rehearsal tells its story in order, of types in the catalog", async () => {
    const { live } = await house.workspace()
    await rehearse(live)
    const told = typesOf(await list(live, "?order=asc"))
    assert.deepStrictEqual(told, story)
    assert.deepStrictEqual(typesOf(await list(live)), told.toReversed())
    assert.isTrue(told.every((type) => catalog.includes(type)))
  })

  it("an event carries the resource as its GET showed it", async () => {
    const { id: workspaceId, test } = await house.workspace()
    const run = await rehearse(test)
    const event = firstOf(await list(test, "?type=distill.run.succeeded"))
    assert.match(event.id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(event, {
      object: "event",
      workspace_id: workspaceId,
      livemode: false,
      api_version: "2026-11-01"
    })
    assert.deepStrictEqual(event.data.object as unknown, run as unknown)
    assert.deepStrictEqual(expectStatus(await test.get<EventView>(`/v1/events/${event.id}`), 200), event)
    const created = firstOf(await list(test, "?type=distill.run.created"))
    assert.deepInclude(created.data.object, { id: run.id, status: "queued", object: "distill_run" })
  })

  it("an unknown event is a 404", async () => {
    const { live } = await house.workspace()
    for (const id of ["evt_none", "evt_01m7wn30ywe1jbt2hchyndwwqd", "x".repeat(1_500), "%F0%9F%90%9F"]) {
      assertRefused(await live.get(`/v1/events/${id}`), 404, "not_found_error")
    }
  })

  it("no event holds a secret or a capability", async () => {
    const { live } = await house.workspace()
    await uploadOf(live, linesOf([row(1)]))
    const { text } = await live.get("/v1/events")
    assert.notMatch(text, /secret|capability|upload_url":"/)
  })

  it("a type filter takes exact types and wildcards of any depth", async () => {
    const { live } = await house.workspace()
    await rehearse(live)
    const matching = async (type: string) => typesOf(await list(live, `?type=${encodeURIComponent(type)}`))
    const all = typesOf(await list(live))
    assert.deepStrictEqual(await matching("distill.report.ready"), ["distill.report.ready"])
    assert.deepStrictEqual(
      await matching("distill.run.*"),
      all.filter((type) => type.startsWith("distill.run."))
    )
    for (const every of ["*", "distill.*"]) assert.deepStrictEqual(await matching(every), all)
    assert.deepStrictEqual(await matching("message.completed"), [])
  })

  it("a filtered walk sees what the filter lets through, page by page", async () => {
    const { live } = await house.workspace()
    await rehearse(live)
    const type = "type=distill.run.*"
    const all = typesOf(await list(live, `?order=asc&${type}`))
    const seen: Array<string> = []
    let page = await list(live, `?order=asc&${type}&limit=2`)
    seen.push(...typesOf(page))
    while (page.has_more) {
      page = await list(live, `${resume(page)}&${type}&limit=2`)
      seen.push(...typesOf(page))
    }
    assert.deepStrictEqual(seen, all)
    assertInvalid(await live.get(`/v1/events${resume(page)}`), "cursor")
    assertInvalid(await live.get(`/v1/events${resume(page).replace("asc", "desc")}&${type}`), "cursor")
  })

  it("a client that polls with the last cursor sees every event once, from an empty start", async () => {
    const { live } = await house.workspace()
    let page = await list(live, "?order=asc")
    assert.deepStrictEqual(page.data, [])
    const seen: Array<string> = []
    let ended = false
    const writing = Promise.all([rehearse(live), rehearse(live), rehearse(live)]).then(() => {
      ended = true
    })
    for (let last = false; !last; last = ended && page.data.length === 0) {
      page = await list(live, `${resume(page)}&limit=3`)
      seen.push(...page.data.map(({ id }) => id))
    }
    await writing
    const stored = (await list(live, "?limit=100")).data.map(({ id }) => id)
    assert.strictEqual(new Set(seen).size, seen.length)
    assert.deepStrictEqual(seen.toSorted(), stored.toSorted())
    assert.deepStrictEqual((await list(live, resume(page))).data, [])
  })
})
