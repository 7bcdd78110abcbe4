/** Queries and paths: bounded, looked at only for callers who may ask, and plain (contract 15.9). */
import { assert, it } from "@effect/vitest"
import { assertInvalid, assertRefused, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join("&")

onMemory("a query", (house) => {
  it("has at most 100 parameters, and the first one too many is named (P116)", async () => {
    const { live } = await house.workspace()
    expectStatus(await live.get(`/v1/tokens?${names(100)}`), 200)
    expectStatus(await live.get(`/v1/tokens?&&&${names(99)}&&&limit=1&`), 200)
    assertInvalid(await live.get(`/v1/tokens?${names(101)}`), "n100")
    assertInvalid(await live.get(`/v1/tokens?${names(100)}&%61%20b=1&limit=0`), "a b")
  })

  it("names what is given more than once", async () => {
    const { live } = await house.workspace()
    assertInvalid(await live.get("/v1/tokens?limit=1&a=1&%6cimit=2"), "limit")
    assertInvalid(await live.get("/v1/tokens??a&?a"), "?a")
  })

  it("is not looked at before the caller may ask (P116)", async () => {
    const stranger = house.client(null)
    assertRefused(await stranger.get(`/v1/tokens?${names(101)}`), 401, "authentication_error")
    const content = `/v1/distill/uploads/upl_none/content?${names(101)}`
    assertRefused(await stranger.send("PUT", content), 401, "authentication_error")
    const unknown = await stranger.send("PUT", `${content}&capability=${"a".repeat(600)}`)
    assertRefused(unknown, 404, "not_found_error")
  })

  it("of an upload's content is held to the same rules, once its capability is known", async () => {
    const { live } = await house.workspace()
    const upload = { filename: "rows.jsonl", format: "chat_jsonl" }
    const made = await live.post<{ readonly upload_url: string }>("/v1/distill/uploads", upload, {
      "idempotency-key": "queries"
    })
    const { pathname, search } = new URL(expectStatus(made, 201).upload_url)
    const put = (query: string) => house.client(null).send("PUT", pathname + query, { body: "" })
    assertInvalid(await put(`${search}&${names(100)}`), "n99")
    assertInvalid(await put(`${search}&capability=other`), "capability")
    expectStatus(await put(`?a=1&${search.slice(1)}&b`), 202)
  })
})

onMemory("a path", (house) => {
  it("reaches its route in one spelling alone (P116)", async () => {
    const { live } = await house.workspace()
    for (const path of [
      "/v1/whoami;x=1",
      "/v1/%77hoami",
      "/v1/whoami%3Fa",
      "/v1;a/whoami",
      "/v1/whoami%00",
      "/%76%31/whoami"
    ]) {
      assertRefused(await live.get(path), 404, "not_found_error")
      assertRefused(await house.client(null).get(path), 404, "not_found_error")
    }
    expectStatus(await live.get("/v1/whoami?a;b=%77"), 200)
  })

  it("that is long is not repeated whole by the refusal", async () => {
    for (const path of [`/v1/${"x".repeat(8_000)}`, `/v1/shared/reports/${"x".repeat(10_000)}`]) {
      const answer = await house.client(null).get(path)
      assertRefused(answer, 404, "not_found_error")
      assert.isBelow(answer.text.length, 1_000)
    }
  })
})
