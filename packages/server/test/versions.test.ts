/** Dated versions (contract 11): of responses by request, and of events by endpoint. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Upload } from "@limbeck/api/UploadsApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import { eventually } from "@limbeck/testing/Eventually"
import {
  announce,
  createRun,
  dryRun,
  endedRun,
  freshKey,
  readUntil,
  sendContent,
  ticketsVersion
} from "@limbeck/testing/http/Steps"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { partitionOf } from "./support/Captured.ts"
import { assertInvalid, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { type ReceivedRequest, Receiver } from "./support/Receiver.ts"
import { type CreatedEndpoint, change, endpoints, isSignedBy } from "./support/Webhooks.ts"

const [newest, older] = ["2026-11-01", "2026-10-01"]
const pinned = (version: string) => ({ "service-version": version })

const uploads = "/v1/distill/uploads"

/** What the two versions differ in. */
interface VersionView {
  readonly id: string
  readonly object: string
  readonly errors: ReadonlyArray<unknown>
}

interface ShownEvent {
  readonly id: string
  readonly type: string
  readonly api_version: string
  readonly data: { readonly object: VersionView }
}

const wrong = [{ line: 2, message: "Not JSON" }]
const sentences = ["line 2: Not JSON"]

const receiver = new Receiver()
beforeAll(() => receiver.open())
afterAll(() => receiver.close())

onEachStorage("a version", (house) => {
  /** A failed upload, with its errors in either version's form. */
  const failed = async (caller: Client): Promise<string> => {
    const upload = await announce(caller)
    expectStatus(
      await sendContent(caller, upload, '{"messages":[{"role":"user","content":"a"}],"completion":"b"}\nno\n'),
      202
    )
    await readUntil(
      () => caller.get<typeof Upload.Type>(`${uploads}/${upload.id}`),
      ({ status }) => status === "failed"
    )
    return upload.id
  }

  it("is that of the request, and the newest where it names none (P164)", async () => {
    const { live } = await house.workspace()
    const id = await failed(live)
    const shown = async (caller: Client, path: string) => expectStatus(await caller.get<VersionView>(path), 200)
    const [now, before] = [live.with(pinned(newest)), live.with(pinned(older))]
    const current = await shown(live, `${uploads}/${id}`)
    assert.deepStrictEqual(current.errors, wrong)
    assert.deepStrictEqual(await shown(now, `${uploads}/${id}`), current)
    const old = { ...current, errors: sentences }
    assert.deepStrictEqual(await shown(before, `${uploads}/${id}`), old)
    const listed = expectStatus(await before.get<ListOf<VersionView>>(uploads), 200)
    assert.deepStrictEqual([listed.data, listed.has_more], [[old], false])
  })

  it("is that of the request for events too, which say which one it is (P164)", async () => {
    const { live } = await house.workspace()
    await failed(live)
    for (const [version, errors] of [
      [newest, wrong],
      [older, sentences]
    ] as const) {
      const caller = live.with(pinned(version))
      for (const query of ["", "?order=asc"]) {
        const event = firstOf(expectStatus(await caller.get<ListOf<ShownEvent>>(`/v1/events${query}`), 200))
        assert.deepInclude(event, { type: "distill.upload.failed", api_version: version })
        assert.deepStrictEqual(event.data.object.errors, errors)
        assert.deepStrictEqual(expectStatus(await caller.get<ShownEvent>(`/v1/events/${event.id}`), 200), event)
      }
    }
  })

  it("is that of the endpoint for deliveries: the bytes that are signed are those that are sent (P165)", async () => {
    const { test } = await house.workspace()
    const subscribe = async (caller: Client, path: string, fields = {}) => {
      const body = {
        url: receiver.url(`${path}/${Math.floor(house.now())}`),
        enabled_events: ["distill.upload.*"],
        ...fields
      }
      return expectStatus(await caller.post<CreatedEndpoint>(endpoints, body), 201)
    }
    const made = [
      { endpoint: await subscribe(test, "/newest"), version: newest, errors: wrong },
      { endpoint: await subscribe(test, "/older", { api_version: older }), version: older, errors: sentences },
      // A caller with a pinned version creates endpoints of that version.
      { endpoint: await subscribe(test.with(pinned(older)), "/pinned"), version: older, errors: sentences },
      { endpoint: await subscribe(test, "/changed"), version: older, errors: sentences }
    ]
    const [, , , last] = made
    assert.deepInclude(await change(test, last!.endpoint.id, { api_version: older }), { api_version: older })
    await failed(test)
    const ids = new Set<string>()
    for (const { endpoint, errors, version } of made) {
      assert.strictEqual(endpoint === last?.endpoint ? older : endpoint.api_version, version)
      const came = await eventually(
        `a delivery in ${version}`,
        async (): Promise<ReceivedRequest | undefined> => receiver.allAt(endpoint.url).at(0)
      )
      const event: ShownEvent = JSON.parse(came.body)
      assert.deepInclude(event, { type: "distill.upload.failed", api_version: version })
      assert.deepStrictEqual(event.data.object.errors, errors)
      assert.isTrue(isSignedBy(String(came.headers["service-signature"]), came.body, endpoint.secret))
      ids.add(event.id)
    }
    // One event, in two shapes.
    assert.lengthOf([...ids], 1)
    const { id, url } = made[1]!.endpoint
    expectStatus(await test.post(`${endpoints}/${id}/ping`), 200)
    const ping = receiver.allAt(url).find(({ headers }) => headers["service-event-type"] === "webhook.ping")
    assert.strictEqual(JSON.parse(ping?.body ?? "{}").api_version, older)
  })

  it("is said by every answer, also by one that refuses, streams or belongs to the outside", async () => {
    const { live } = await house.workspace()
    const { id } = expectStatus(await createRun(live, dryRun((await ticketsVersion(live)).id)), 201)
    const { report } = await endedRun(live, id)
    const share = expectStatus(await live.post<{ readonly token: string }>(`/v1/distill/reports/${report}/share`), 200)
    const paths = [
      "/v1/whoami",
      `/v1/distill/runs/${id}/stream`,
      `/v1/distill/runs/${id}/logs`,
      `/v1/shared/reports/${share.token}`,
      "/v1/distill/runs/run_none",
      "/v1/nothing",
      "/v1/proxy/models",
      "/v1/event_types",
      "/v1/openapi.json"
    ]
    // The client holds each answer to the version that it asked for.
    for (const path of paths) for (const version of [newest, older]) await live.get(path, pinned(version))
    for (const version of [newest, older]) {
      const whoami = expectStatus(await live.get<typeof Whoami.Type>("/v1/whoami", pinned(version)), 200)
      assert.strictEqual(whoami.api_version, version)
    }
  })

  it("that there is not is refused, with those that there are", async () => {
    const { live } = await house.workspace()
    for (const version of ["2026-10-31", "2026-12-01", "newest"]) {
      const answer = await live.get("/v1/whoami", pinned(version))
      assertInvalid(answer, "Service-Version")
      assert.include(answer.text, "2026-11-01, 2026-10-01")
    }
  })

  it("of a replay is that of its own request, whichever the first request under the key named (P943)", async () => {
    const workspace = await house.workspace()
    const partition = partitionOf(workspace)
    for (const first of [older, newest]) {
      const key = freshKey()
      const announced = async (version: string) =>
        workspace.live.post<VersionView>(uploads, { filename: "a.jsonl" }, { ...key, ...pinned(version) })
      const upload = expectStatus(await announced(first), 201)
      // As if the first answer had shown what the versions differ in.
      await house.withStored(({ keys }) =>
        Effect.gen(function* () {
          const record = Option.getOrThrow(yield* keys.find(partition, key["idempotency-key"]))
          const body = JSON.stringify({ ...upload, errors: wrong })
          yield* keys.exclusively(partition, record.key, keys.record(partition, { ...record, body, sealed: false }))
        })
      )
      for (const [version, errors] of [
        [newest, wrong],
        [older, sentences]
      ] as const) {
        const again = await announced(version)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.deepInclude(expectStatus(again, 201), { id: upload.id, errors })
      }
    }
  })
})
