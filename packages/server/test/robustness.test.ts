/** Odd requests: every one gets a response, and none is a defect. */
import { once } from "node:events"
import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const datasets = "/v1/distill/datasets"
const json = { "content-type": "application/json" }

/** The server's output for bytes of a misbehaving client. */
const raw = async (origin: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1")
  socket.end(text)
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk) => chunks.push(chunk))
  await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

onEachStorage("odd requests", (house) => {
  const statusOf = async (caller: Client, body: string) =>
    (await caller.send("POST", datasets, { body, headers: json })).status

  it("texts of any characters are kept as they are, or refused", async () => {
    const { live } = await house.workspace()
    for (const name of ["é", "日本語", "🐟", "a\tb\nc", "'; DROP TABLE x; --", "\\", '"', "\u202e", "%00", "\ufeff"]) {
      const { name: kept } = expectStatus(await live.post<{ readonly name: string }>(datasets, { name }), 201)
      assert.strictEqual(kept, name)
    }
    for (const name of ["a\u0000b", "\ud800", "a\udfffb"]) {
      const answer = await live.post<{ readonly name: string }>(datasets, { name })
      assert.include([201, 400], answer.status, answer.text)
      if (answer.status === 201) expectStatus(await live.get<ListOf<unknown>>(datasets), 200)
    }
  })

  it("names are as long as the document says, in characters (P392)", async () => {
    const { live } = await house.workspace()
    const name = "🐟".repeat(200)
    const { id } = expectStatus(await live.post<{ readonly id: string }>(datasets, { name }), 201)
    assert.strictEqual(expectStatus(await live.get<{ readonly name: string }>(`${datasets}/${id}`), 200).name, name)
    assertInvalid(await live.post(datasets, { name: `${name}🐟` }), "name")
    const upload = (length: number) => live.post("/v1/distill/uploads", { filename: "🐟".repeat(length) }, freshKey())
    expectStatus(await upload(255), 201)
    assertInvalid(await upload(256), "filename")
  })

  it("ids, cursors, filters and keys of any characters are answered", async () => {
    const { live } = await house.workspace()
    for (const text of ["%00", "%ED%A0%80", "%FF", "%", "%zz", "'", "..", "%2e%2e%2f", "a%2Fb", "*", "%0d%0a"]) {
      for (const path of [`${datasets}/${text}`, `/v1/events/${text}`, `/v1/distill/runs/${text}/logs`]) {
        assert.include([400, 404], (await live.get(path)).status, path)
      }
      for (const path of [
        `/v1/events?type=${text}`,
        `/v1/distill/runs?dataset_version=${text}`,
        `${datasets}?cursor=${text}`
      ]) {
        assert.include([200, 400], (await live.get(path)).status, path)
      }
    }
  })

  it("JSON of any shape is answered", async () => {
    const { live } = await house.workspace()
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`
    assert.strictEqual(await statusOf(live, deep), 400)
    assert.strictEqual(await statusOf(live, `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), 400)
    assert.strictEqual(await statusOf(live, '{"__proto__":{"name":"a"}}'), 400)
    assert.strictEqual(await statusOf(live, '{"name":"a","__proto__":{}}'), 400)
    assert.strictEqual(await statusOf(live, '{"name":"a","constructor":1}'), 400)
    assert.strictEqual(await statusOf(live, ' \n{"name":"a"}\n '), 201)
  })

  it("numbers out of range are refused by name", async () => {
    const { live } = await house.workspace()
    for (const bytes of ["1e400", "9007199254740993", "-1"]) {
      const body = `{"filename":"a","format":"chat_jsonl","bytes":${bytes}}`
      const answer = await live.send("POST", "/v1/distill/uploads", { body, headers: { ...json, ...freshKey() } })
      assert.include([400, 413], answer.status, bytes)
    }
    const { id } = expectStatus(await live.post<{ readonly id: string }>(datasets, { name: "a" }), 201)
    for (const seed of ["1e308", "9007199254740993", "-9007199254740991", "2147483648"]) {
      const body = `{"from":{"upload":"upl_none"},"seed":${seed}}`
      const answer = await live.send("POST", `${datasets}/${id}/versions`, { body, headers: json })
      assert.include([400, 404], answer.status, answer.text)
    }
  })

  it("a path is the same with a slash at its end", async () => {
    const { live } = await house.workspace()
    expectStatus(await live.get("/v1/whoami/"), 200)
    expectStatus(await live.get("/v1/whoami/?a=1"), 200)
  })

  it("a client that goes away in the middle of its body leaves no trace", async () => {
    const { live } = await house.workspace()
    const head = "POST /v1/distill/datasets HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
    const said = await raw(house.origin, `${head}content-length: 100\r\n\r\n{"name":`)
    assert.notInclude(said, " 201 ")
    expectStatus(await live.get("/v1/whoami"), 200)
  })

  it("a declared length that is no number is refused", async () => {
    const said = await raw(house.origin, "POST /v1/tokens HTTP/1.1\r\nhost: a\r\ncontent-length: many\r\n\r\n")
    assert.match(said, /^HTTP\/1.1 400 /)
  })
})
