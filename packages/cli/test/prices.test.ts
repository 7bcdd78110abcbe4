// @effect-diagnostics globalFetch:off
/** `PRICES_FILE` and `limbeck prices`, on real servers (contract 16.10, 16.12). */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { runHere } from "./InProcess.ts"
import { type Environment, liveToken, quiet, Server } from "./Server.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const model = (input: number, output: number) => ({ input_cost_per_token: input, output_cost_per_token: output })

/** Replaces the file in one step, so that no reader sees half a file. */
const write = (file: string, content: unknown) => {
  writeFileSync(`${file}.new`, typeof content === "string" ? content : JSON.stringify(content))
  renameSync(`${file}.new`, file)
}

const opened = async (atEnd: AtEnd, environment: Environment, command?: ReadonlyArray<string>) => {
  const settings = { ...quiet, EGRESS_ALLOW: "127.0.0.0/8", LOG_LEVEL: "info", ...environment }
  const server = await new Server(atEnd, { STORAGE: "memory", ...settings }, command).start()
  const client = makeClient({ baseUrl: server.origin, token: liveToken })
  const add = (kind: "byok" | "managed", models: ReadonlyArray<string>) =>
    client.sources.create({
      name: kind,
      kind,
      base_url: upstream.speaking("Yes"),
      api_key: key,
      models: [...models],
      ...(kind === "byok" ? { default: true } : {})
    })
  return { server, client, add }
}

type OpenServer = Awaited<ReturnType<typeof opened>>

const pricesOf = async ({ client }: OpenServer) => {
  const models = []
  for await (const found of client.sources.models()) models.push(found)
  return models.map(({ id, input_per_million, output_per_million, price_from, source_name }) => [
    `${source_name}/${id}`,
    price_from,
    input_per_million,
    output_per_million
  ])
}

describe.concurrent("PRICES_FILE", () => {
  it("prices what sources do not, and is read again on SIGHUP; one that cannot be read leaves the prices (P1111)", async ({
    onTestFinished
  }) => {
    const file = join(await temporaryFolder(onTestFinished), "prices.json")
    write(file, { gpt: model(1e-6, 2e-6), "gpt-4o": null })
    const program = await opened(onTestFinished, { PRICES_FILE: file })
    await program.add("byok", ["gpt", "gpt-4o"])
    await program.add("managed", ["gpt"])
    const first = [
      ["managed/gpt", "price_file", 1, 2],
      ["byok/gpt", "price_file", 1, 2],
      ["byok/gpt-4o", "none", null, null]
    ]
    assert.deepEqual(await pricesOf(program), first)
    // 11 tokens of input and 3 of output, as the upstream counts.
    const costOf = async () => {
      const response = await fetch(`${program.server.origin}/v1/proxy/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "?" }] })
      })
      await response.text()
      return (await program.client.calls.get(response.headers.get("x-service-call-id") ?? "")).cost_usd
    }
    assert.strictEqual(await costOf(), 0.000017)
    write(file, "{")
    program.server.signal("SIGHUP")
    await eventually("the error is logged", async () =>
      program.server.said.some((line) => line.includes("prices_not_read") && line.includes("is not JSON"))
    )
    assert.deepEqual(await pricesOf(program), first)
    write(file, { gpt: model(3e-6, 4e-6), "gpt-4o": model(5e-6, 6e-6) })
    program.server.signal("SIGHUP")
    await eventually("the new prices hold", async () => (await pricesOf(program))[0]?.[2] === 3)
    assert.strictEqual(await costOf(), 0.000045)
    assert.deepEqual(await pricesOf(program), [
      ["managed/gpt", "price_file", 3, 4],
      ["byok/gpt", "price_file", 3, 4],
      ["byok/gpt-4o", "price_file", 5, 6]
    ])
  })

  it("is read again by each of several processes on a SIGHUP of their parent (P1111)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const file = join(folder, "prices.json")
    write(file, { gpt: model(1e-6, 2e-6) })
    const storage = { STORAGE: "embedded", DATA_DIR: join(folder, "data"), PRICES_FILE: file }
    const program = await opened(onTestFinished, storage, ["serve", "--processes", "2"])
    await program.add("byok", ["gpt"])
    write(file, { gpt: model(3e-6, 4e-6) })
    program.server.signal("SIGHUP")
    await eventually("both processes have read it", async () => {
      const read = program.server.said.filter((line) => line.includes("prices_read"))
      return read.length === 2
    })
    assert.deepEqual(await pricesOf(program), [["byok/gpt", "price_file", 3, 4]])
  })

  it("that is wrong, no JSON, or not there ends the start with exit code 2 and one line (P1111)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const contents = { wrong: '{"gpt": {"input_cost_per_token": "1"}}', broken: "{", empty: "{}" }
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content)
    await Promise.all(
      [...Object.keys(contents), "none"].map(async (name) => {
        const { code, stderr, stdout } = await runHere({ STORAGE: "memory", PRICES_FILE: join(folder, name) }, [
          "serve"
        ])
        assert.deepStrictEqual([code, stdout, stderr.length], [2, [], 1])
        assert.isTrue(stderr[0]?.startsWith(`PRICES_FILE: ${join(folder, name)}: `), stderr[0])
      })
    )
  })

  it("is a dated table for byok sources where none is set, and `limbeck prices` shows all (P1112)", async ({
    onTestFinished
  }) => {
    const program = await opened(onTestFinished, {})
    await program.add("byok", ["gpt-4o-mini", "own"])
    await program.add("managed", ["gpt-4o-mini"])
    assert.deepEqual(await pricesOf(program), [
      ["managed/gpt-4o-mini", "none", null, null],
      ["byok/gpt-4o-mini", "price_file", 0.15, 0.6],
      ["byok/own", "none", null, null]
    ])
    const environment = { LIMBECK_URL: program.server.origin, LIMBECK_TOKEN: liveToken }
    const { code, stdout } = await runHere(environment, ["prices"])
    assert.strictEqual(code, 0)
    assert.deepEqual(stdout, [
      "managed/gpt-4o-mini  (no price is known)",
      "byok/gpt-4o-mini  input $0.15  output $0.6  cached $0.075  batch ×0.5  priority ×1.666667  (from the price file)",
      "byok/own  (no price is known)"
    ])
  })
})
