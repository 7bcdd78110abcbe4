/** Captured calls and their feedback (contract 4, 6, 14.26). */
import { assert, it } from "@effect/vitest"
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Sources from "@limbeck/testing/http/SourceSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import {
  asked,
  callOf,
  calls,
  capture,
  type Detail,
  type FeedbackView,
  feedback,
  idAt,
  idsOf,
  listed,
  partitionOf
} from "./support/Captured.ts"
import { assertInvalid, assertRefused, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const unknown = "call_00000000000000000000000000"

onEachStorage("captured calls", (house) => {
  it("a call says all about itself", async () => {
    const workspace = await house.workspace()
    const source = await Sources.create(workspace.live, { name: "teacher" })
    const call = callOf(house, {
      source: source.id,
      tags: ["prod", "chat"],
      externalId: "order-7",
      firstTokenMillis: 80,
      streamed: true
    })
    const text = callOf(house, { request: "not json", requestIsJson: false, response: null, responseIsJson: false })
    await capture(house, workspace, [call, text])
    const detail = expectStatus(await workspace.live.get<Detail>(`${calls}/${call.id}`), 200)
    assert.deepStrictEqual(detail, {
      id: call.id,
      object: "captured_call",
      livemode: true,
      endpoint: "chat.completions",
      source: source.id,
      source_name: "teacher",
      model: "large",
      served_by: "upstream",
      deployment: null,
      fallback_reason: null,
      confidence: null,
      tags: ["prod", "chat"],
      external_id: "order-7",
      verifies: null,
      outcome: "succeeded",
      status_code: 200,
      streamed: true,
      request: JSON.parse(call.request),
      response: JSON.parse(call.response ?? ""),
      truncated: false,
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 }
      },
      cost_usd: 0.000012,
      billed: true,
      latency_ms: 250,
      first_token_ms: 80,
      attempts: [],
      decisions: [],
      created_at: detail.created_at,
      shadow_results: [],
      feedback: []
    })
    const { data } = await listed(workspace.live)
    assert.deepInclude(data[0], { id: text.id, request: "not json", response: null })
    assert.notProperty(data[1], "feedback")
  })

  it("a body that nests deeper than any program reads is shown as its text", async () => {
    const workspace = await house.workspace()
    const deep = `{"messages":${"[".repeat(200_000)}${"]".repeat(200_000)},"brackets":"[[[{{"}`
    const call = callOf(house, { request: deep })
    await capture(house, workspace, [call])
    const [shown] = (await listed(workspace.live)).data
    assert.isTrue(shown?.request === deep)
  })

  it("filters pass what they say, and a page goes on where the one before ended", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const source = await Sources.create(live, { name: "teacher" })
    const made = [
      callOf(house, { source: source.id }),
      callOf(house, { model: "svc:tickets", servedBy: "student", source: null }),
      callOf(house, { tags: ["a", "b"] }),
      callOf(house, { externalId: "x" }),
      callOf(house, { outcome: "aborted", statusCode: null })
    ]
    await capture(house, workspace, made)
    const queries = [
      `source=${source.id}`,
      "model=svc:tickets",
      "tag=b",
      "external_id=x",
      "outcome=aborted",
      "source=teacher",
      "served_by=student&model=svc:tickets"
    ]
    const expected = [0, 1, 2, 3, 4, 0, 1]
    for (const [index, query] of queries.entries()) {
      assert.deepStrictEqual(idsOf(await listed(live, `?${query}`)), [made[expected[index]!]!.id], query)
    }
    for (const query of ["source=nobody", "source=src_00000000000000000000000000", "tag=c", "served_by=shadow"]) {
      assert.deepStrictEqual(idsOf(await listed(live, `?${query}`)), [], query)
    }
    const first = await listed(live, "?limit=2")
    const second = await listed(live, `?limit=3&cursor=${first.next_cursor}`)
    assert.deepStrictEqual([...idsOf(first), ...idsOf(second)], made.map(({ id }) => id).toReversed())
    assertInvalid(await live.get(`${calls}?limit=3&tag=a&cursor=${first.next_cursor}`), "cursor")
    for (const param of ["served_by", "outcome", "tag", "source"]) {
      assertInvalid(await live.get(`${calls}?${param}=`), param)
    }
  })

  it("are searched for what they say, and one page looks through a thousand of them at most (P426)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const chat = (content: string) => ({ messages: [{ role: "user", content }] })
    const made = [
      callOf(house, { request: JSON.stringify(chat('the "Blue" parcel\nis late')), response: null }),
      // In the spelling of clients that send ASCII alone, or escape slashes.
      callOf(house, { request: String.raw`{"messages":[{"role":"user","content":"gr\u00fcn\/rot"}]}`, response: null }),
      callOf(house, { response: JSON.stringify({ choices: [{ message: { content: "An ANSWER" } }] }) }),
      callOf(house, { request: "no json, a\nline", requestIsJson: false, response: null, responseIsJson: false })
    ]
    const others = Array.from({ length: CaptureLimits.searchedCallsMax }, () => callOf(house, { tags: ["later"] }))
    await capture(house, workspace, made)
    const found = async (text: string, more = "") =>
      idsOf(await listed(live, `?text=${encodeURIComponent(text)}${more}`))
    const expected: ReadonlyArray<readonly [text: string, call: number]> = [
      ['"blue" PARCEL\nis', 0],
      ["GRÜN/r", 1],
      ["an answer", 2],
      ["JSON, a\nline", 3]
    ]
    for (const [text, call] of expected) assert.deepStrictEqual(await found(text), [made[call]!.id], text)
    assert.deepStrictEqual(await found("parcel", "&outcome=failed"), [])
    assert.deepStrictEqual(await found("no such text"), [])
    await capture(house, workspace, others)
    const newest = await listed(live, "?text=parcel")
    assert.deepStrictEqual([newest.data, newest.has_more], [[], true], "it looked at the thousand newest")
    const older = await listed(live, `?text=parcel&cursor=${newest.next_cursor}`)
    assert.deepStrictEqual([idsOf(older), older.has_more], [[made[0]?.id], false])
    const many = await listed(live, "?text=messages&tag=later&limit=3")
    const next = await listed(live, `?text=messages&tag=later&limit=3&cursor=${many.next_cursor}`)
    const newestSix = others
      .map(({ id }) => id)
      .toReversed()
      .slice(0, 6)
    assert.deepStrictEqual([...idsOf(many), ...idsOf(next)], newestSix)
    assertInvalid(await live.get(`${calls}?text=`), "text")
    assertInvalid(await live.get(`${calls}?text=${"x".repeat(CaptureLimits.searchTextMax + 1)}`), "text")
    assertInvalid(await live.get(`${calls}?text=other&cursor=${newest.next_cursor}`), "cursor")
  })

  it("a call of the other mode or of another workspace is not there", async () => {
    const workspace = await house.workspace()
    const stranger = await house.workspace()
    const call = callOf(house)
    await capture(house, workspace, [call])
    for (const caller of [workspace.test, stranger.live]) {
      for (const id of [call.id, unknown, "nonsense"]) {
        assertRefused(await caller.get(`${calls}/${id}`), 404, "not_found_error")
        assertRefused(await caller.delete(`${calls}/${id}`), 404, "not_found_error")
        assertRefused(
          await caller.post(feedback, { call_id: id, name: "quality", value: 1 }),
          404,
          "not_found_error",
          "call_id"
        )
      }
      assert.deepStrictEqual(idsOf(await listed(caller)), [])
    }
    assert.deepStrictEqual(idsOf(await listed(workspace.live)), [call.id])
  })

  it("bodies of any size are shown as they are: JSON to the last digit, and a text as a text (P134)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const texts = ["\0".repeat(300_000), `${"x".repeat(2 ** 16 - 1)}😀`.repeat(4)]
    const made = texts.map((text, n) =>
      callOf(house, {
        request: text,
        requestIsJson: false,
        response: `{"n": 12345678901234567890, "text": ${JSON.stringify(text)}}`,
        createdAt: house.now() + n
      })
    )
    await capture(house, workspace, made)
    const page = await live.get<ListOf<{ readonly request: unknown; readonly response: unknown }>>(calls)
    const shown = expectStatus(page, 200).data.toReversed()
    assert.lengthOf(page.text.match(/"n": 12345678901234567890,/g) ?? [], 2)
    for (const [n, text] of texts.entries()) {
      // Asserts without printing the texts.
      assert.isTrue(shown[n]?.request === text)
      const one = expectStatus(await live.get<Detail>(`${calls}/${made[n]!.id}`), 200)
      for (const { response } of [one, shown[n]!]) assert.isTrue(Object(response).text === text)
    }
  })

  it("a call that was answered a moment ago is found as soon as it is stored (P62)", async () => {
    const workspace = await house.workspace()
    const [first, second] = [0, 1].map(() => callOf(house, { createdAt: house.now() }))
    const reading = workspace.live.get<Detail>(`${calls}/${first!.id}`)
    const saying = workspace.live.post<FeedbackView>(
      feedback,
      { call_id: second!.id, name: "quality", value: 1 },
      freshKey()
    )
    await listed(workspace.live)
    await capture(house, workspace, [first!, second!])
    expectStatus(await reading, 200)
    expectStatus(await saying, 201)
  })

  it("a removed call is gone, and does not come back", async () => {
    const workspace = await house.workspace()
    const call = asked(house, "a", "b", { externalId: "x" })
    await capture(house, workspace, [call])
    const path = `${calls}/${call.id}`
    const deleted = expectStatus(await workspace.live.delete<unknown>(path), 200)
    assert.deepStrictEqual(deleted, { id: call.id, object: "captured_call", deleted: true })
    await capture(house, workspace, [call])
    assertRefused(await workspace.live.get(path), 404, "not_found_error")
    assertRefused(await workspace.live.delete(path), 404, "not_found_error")
    assert.deepStrictEqual(idsOf(await listed(workspace.live)), [])
  })

  it("what a shadow answered is shown with the call", async () => {
    const workspace = await house.workspace()
    const call = callOf(house, { servedBy: "shadow", deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mc1" })
    await capture(house, workspace, [call])
    const results = [
      Calls.shadow(call, { agrees: false }),
      Calls.shadow(call, { deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mc2", error: "timeout", message: null })
    ]
    await house.withCalls((store) => store.appendShadows(Calls.inPartition(partitionOf(workspace), results)))
    const { shadow_results } = expectStatus(await workspace.live.get<Detail>(`${calls}/${call.id}`), 200)
    assert.strictEqual(shadow_results.length, 2)
    assert.deepInclude(shadow_results[1], {
      object: "shadow_result",
      deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mcd",
      message: { role: "assistant", content: "Pong." },
      agrees: false,
      error: null
    })
    assert.deepInclude(shadow_results[0], {
      deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mc2",
      message: null,
      error: "timeout"
    })
  })
})

onEachStorage("feedback", (house) => {
  it("says all about itself, and is shown with its call, whichever way it names it (P62)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const early = expectStatus(
      await live.post<FeedbackView>(feedback, { external_id: "x", name: "resolved", value: 0 }),
      201
    )
    const call = callOf(house, { externalId: "x" })
    await capture(house, workspace, [call])
    const body = { call_id: call.id, name: "quality", value: -0.5, comment: "too long\u0000" }
    const said = expectStatus(await live.post<FeedbackView>(feedback, body), 201)
    assert.match(said.id, /^fb_[0-9a-hjkmnp-tv-z]{26}$/)
    const { credential } = expectStatus(
      await live.get<{ readonly credential: { readonly id: string } }>("/v1/whoami"),
      200
    )
    assert.deepStrictEqual(said, {
      id: said.id,
      object: "feedback",
      livemode: true,
      call_id: call.id,
      external_id: null,
      name: "quality",
      value: -0.5,
      comment: "too long\u0000",
      question: null,
      prompt: null,
      given_by: { kind: "token", id: credential.id },
      created_at: said.created_at
    })
    expectStatus(await live.post<FeedbackView>(feedback, { external_id: "y", name: "quality", value: 1 }), 201)
    const detail = expectStatus(await live.get<Detail>(`${calls}/${call.id}`), 200)
    assert.deepStrictEqual(detail.feedback, [early, said])
    const list = async (query: string) => expectStatus(await live.get<ListOf<FeedbackView>>(feedback + query), 200)
    assert.deepStrictEqual((await list(`?call_id=${call.id}`)).data, [said, early])
    assert.deepStrictEqual((await list("?external_id=x")).data, [early])
    assert.strictEqual((await list("?name=quality")).data.length, 2)
    const first = await list("?limit=2")
    assert.deepStrictEqual((await list(`?limit=2&cursor=${first.next_cursor}`)).data, [early])
  })

  it("what is wrong with it is named", async () => {
    const workspace = await house.workspace()
    const good = { external_id: "x", name: "quality", value: 1 }
    const cases = [
      [{ name: "quality", value: 1 }, "call_id"],
      [{ ...good, external_id: "" }, "external_id"],
      [{ ...good, external_id: "x".repeat(256) }, "external_id"],
      [{ external_id: "x", value: 1 }, "name"],
      [{ ...good, name: "" }, "name"],
      [{ ...good, name: "n".repeat(65) }, "name"],
      [{ external_id: "x", name: "quality" }, "value"],
      [{ ...good, value: "1" }, "value"],
      [{ ...good, value: true }, "value"],
      [{ ...good, comment: 1 }, "comment"],
      [{ ...good, comment: "c".repeat(4_001) }, "comment"],
      [{ ...good, coment: "c" }, "coment"]
    ] as const
    for (const [body, param] of cases) assertInvalid(await workspace.live.post(feedback, body), param)
    assertInvalid(
      await workspace.live.send("POST", feedback, {
        body: '{"external_id":"x","name":"quality","value":1e999}',
        headers: { "content-type": "application/json" }
      }),
      "value"
    )
    assert.deepStrictEqual(expectStatus(await workspace.live.get<ListOf<FeedbackView>>(feedback), 200).data, [])
  })

  it("of a call that is not stored yet is written once for each key, by however many attempts at once (P101)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const call = callOf(house, { createdAt: house.now() })
    const keys = [freshKey(), freshKey()]
    const body = { call_id: call.id, name: "quality", value: 1 }
    const saying = [...keys, ...keys, ...keys].map((key) => live.post<FeedbackView>(feedback, body, key))
    await listed(live)
    await capture(house, workspace, [call])
    const ids = new Set<string>()
    for (const answer of await Promise.all(saying)) {
      if (answer.status === 409) assertRefused(answer, 409, "idempotency_key_in_flight")
      else ids.add(expectStatus(answer, 201).id)
    }
    for (const key of keys) ids.add(expectStatus(await live.post<FeedbackView>(feedback, body, key), 201).id)
    const { data } = expectStatus(await live.get<ListOf<FeedbackView>>(feedback), 200)
    assert.sameMembers(
      data.map(({ id }) => id),
      [...ids]
    )
    assert.lengthOf(data, 2)
  })

  it("of a call that may wait in a journal is taken at once, once for its key, and shown with it when it comes (P101)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const minute = 60_000
    // By clocks that are ahead, too: by a minute or by days.
    for (const age of [0, 59 * minute, -59 * minute, -61 * minute, -3 * 24 * 60 * minute]) {
      const key = freshKey()
      const call = callOf(house, { createdAt: house.now() - age })
      const body = { call_id: call.id, name: "quality", value: 1 }
      const said = expectStatus(await live.post<FeedbackView>(feedback, body, key), 201)
      assert.deepInclude(said, { call_id: call.id, external_id: null, value: 1 })
      await capture(house, workspace, [call])
      assert.deepStrictEqual(expectStatus(await live.post<FeedbackView>(feedback, body, key), 201), said)
      assert.deepStrictEqual(expectStatus(await live.get<Detail>(`${calls}/${call.id}`), 200).feedback, [said])
    }
  })

  it("of a call that was removed is refused at once", async () => {
    const workspace = await house.workspace()
    const call = callOf(house, { createdAt: house.now() })
    await capture(house, workspace, [call])
    expectStatus(await workspace.live.delete<unknown>(`${calls}/${call.id}`), 200)
    const body = { call_id: call.id, name: "quality", value: 1 }
    assertRefused(await workspace.live.post(feedback, body), 404, "not_found_error", "call_id")
  })

  it("of a call that is not there and is older than an hour is a 404, and its key is free (P101)", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const hour = 3_600_000
    const old = [idAt(house.now() - hour - 1_000), unknown, "call_1", "no id"]
    for (const call_id of old) {
      const answer = await live.post(feedback, { call_id, name: "quality", value: 1 }, key)
      assertRefused(answer, 404, "not_found_error", "call_id")
    }
    expectStatus(await live.post<FeedbackView>(feedback, { external_id: "x", name: "quality", value: 1 }, key), 201)
  })

  it("is written once for each key", async () => {
    const { live } = await house.workspace()
    const key = freshKey()
    const body = { external_id: "x", name: "quality", value: 1 }
    const first = expectStatus(await live.post<FeedbackView>(feedback, body, key), 201)
    const again = await live.post<FeedbackView>(feedback, body, key)
    assert.deepStrictEqual(expectStatus(again, 201), first)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assertRefused(await live.post(feedback, { ...body, value: 0 }, key), 409, "idempotency_key_reused")
    assert.strictEqual(expectStatus(await live.get<ListOf<FeedbackView>>(feedback), 200).data.length, 1)
  })
})
