// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server with several processes: none of its ports can be reached by what a tenant's test token aims. */
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import * as Result from "effect/Result"
import * as OwnPorts from "../src/serve/OwnPorts.ts"
import * as Settings from "../src/serve/Settings.ts"
import { Api } from "./Api.ts"
import { deployed } from "./ServedStudent.ts"
import { testToken } from "./Server.ts"

interface Failed {
  readonly error: { readonly code: string; readonly message: string }
}

describe("a server with several processes", () => {
  it("keeps requests of tenants from a student's port in each of them, and from its own pages (P840)", async ({
    onTestFinished
  }) => {
    const { said, server, started } = await deployed(onTestFinished, {
      STORAGE: "embedded",
      command: ["serve", "--processes", "2"]
    })
    assert.isNotEmpty(await said())
    const test = new Api(server, testToken)
    const [{ port } = { port: 0 }] = started()
    const source = {
      name: "neighbour",
      kind: "byok",
      base_url: `http://127.0.0.1:${port}/v1`,
      api_key: "sk",
      default: true
    }
    await test.create("/v1/sources", source)

    /** On a connection of its own, which the parent hands to the processes in turn. */
    const call = async () => {
      const answer = await fetch(`${server.origin}/v1/proxy/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${testToken}`, "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Who are you?" }] })
      })
      const { error } = (await answer.json()) as Failed
      return [answer.status, error.code, error.message.replace(/.*: /, "")]
    }
    for (let turn = 0; turn < 6; turn++) {
      assert.deepStrictEqual(await call(), [502, "api_error", "connection_refused"])
    }

    const config = { url: `${server.origin}/metrics` }
    const { id } = await test.create<{ readonly id: string }>("/v1/distill/connectors", {
      name: "a",
      kind: "http_jsonl",
      config
    })
    const begun = await test.create<{ readonly id: string }>(`/v1/distill/connectors/${id}/pulls`, {})
    const pull = await eventually("the pull has failed", async () => {
      const found = await test.get<{ readonly status: string; readonly error: Failed["error"] | null }>(
        `/v1/distill/pulls/${begun.id}`
      )
      return found.status === "failed" && found
    })
    assert.strictEqual(pull.error?.code, "blocked_address")
  })
})

describe("the ports of this machine that a server holds", () => {
  const holderOf = (environment: Readonly<Record<string, string>>) => {
    const settings = Result.getOrThrow(Settings.fromEnvironment(environment, false))
    return OwnPorts.holderOf(settings, 8080)
  }

  it("are its own, and those of programs of this machine that its settings name (P840)", () => {
    const holder = holderOf({
      DATABASE_URL: "postgres://limbeck@localhost/db",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      EXECUTOR: "ray",
      TRAINER_COMMAND: "train",
      RAY_ADDRESS: "http://[::1]:8265"
    })
    assert.deepStrictEqual([8080, 5432, 4318, 8265].map(holder), ["server", "program", "program", "program"])
    assert.deepStrictEqual([80, 443, 3000].map(holder), [undefined, undefined, undefined])
  })

  it("are not those of other machines and of sockets", () => {
    assert.isUndefined(holderOf({ DATABASE_URL: "postgres://limbeck@db.example:5433/db" })(5433))
    assert.isUndefined(holderOf({ DATABASE_URL: "postgres:///db?host=/run/postgresql&port=5433" })(5433))
    assert.strictEqual(holderOf({ DATABASE_URL: "postgres:///db?host=127.0.0.1&port=5433" })(5433), "program")
  })
})
