/** The largest request, answer, row, question and reward of each kind, and how long each holds the server's main thread. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { ChatLimits } from "@limbeck/chat/Limits"
import { Answers, Client, headers } from "./Abuse.ts"

/** The proxy's maximum body, with room for its envelope. */
const largest = 16 * 1024 ** 2 - 1_024
/** Characters that a text of a row, and a row, may have. */
const rowText = 1_000_000

const completions = "/v1/proxy/chat/completions"
const user = (content: string) => ({ role: "user", content })
const repeated = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

const asJson = { "content-type": "application/json" }
const asStream = { "content-type": "text/event-stream" }
const packed = { ...asJson, "content-encoding": "gzip" }

const message = (content: string) =>
  `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${content}"},"finish_reason":"stop"}]}`
const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const listed = (item: string, head: string, tail: string) =>
  `${head}${repeated(`${item},`, largest - 500)}${item}${tail}`

interface Upstream {
  readonly head: Readonly<Record<string, string>>
  readonly body: () => string | Uint8Array
}

/** What an upstream answers, by the name of the model. */
const answers: Readonly<Record<string, Upstream>> = {
  short: { head: asJson, body: () => message("billing") },
  "60 KB": { head: asJson, body: () => message(repeated("x", 60_000)) },
  "one text": { head: asJson, body: () => message(repeated("x", largest - 200)) },
  "one text of accents": { head: asJson, body: () => message(repeated("é", largest - 200)) },
  "one text of escapes": { head: asJson, body: () => message(repeated("\\u00e9\\n", largest - 200)) },
  "many members": { head: asJson, body: () => listed('{"a":1}', '{"choices":[', "]}") },
  "no JSON": { head: { "content-type": "text/html" }, body: () => repeated("<p>é</p>", largest) },
  NULs: { head: asJson, body: () => Buffer.alloc(largest) },
  "64 MiB packed": { head: packed, body: () => gzipSync(Buffer.alloc(64 * 2 ** 20, "x")) },
  "JSON packed": { head: packed, body: () => gzipSync(message(repeated("x", largest - 200))) },
  "stream of one text": { head: asStream, body: () => repeated(chunk({ content: "billing " }), largest) },
  "stream of other chunks": { head: asStream, body: () => repeated(chunk({ content: "a", refusal: "b" }), largest) },
  "stream of tool calls": {
    head: asStream,
    body: () => repeated(chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }), largest)
  },
  "stream of one event": { head: asStream, body: () => `data: ${listed('{"a":1}', '{"choices":[', "]}")}\n\n` },
  "stream of one line": { head: asStream, body: () => chunk({ content: repeated("x", largest - 500) }) },
  "stream of empty lines": { head: asStream, body: () => repeated("\n", largest) },
  "stream of carriage returns": { head: asStream, body: () => repeated(": x\r", largest) },
  "stream of lines without data": { head: asStream, body: () => repeated("x\n", largest) }
}

const listen = async () => {
  const bodies = new Map<string, string | Uint8Array>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const [, model = "short"] =
      /"model":"([^"]*)"/.exec(Buffer.concat(await request.toArray()).toString("latin1", 0, 500)) ?? []
    const { body, head } = answers[model] ?? answers["short"]!
    const made = bodies.get(model) ?? body()
    bodies.set(model, made)
    response.writeHead(200, head).end(made)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { base_url: `http://127.0.0.1:${port}/v1`, close }
}

const question = (model: string) => JSON.stringify({ model, messages: [user("How much?")] })

/** Bodies of calls through the proxy. The model is in front, as the stand-in for an upstream reads the beginning. */
const requests: Readonly<Record<string, () => string | Buffer>> = {
  "one text": () => `{"model":"short","messages":[{"role":"user","content":"${repeated("x", largest - 200)}"}]}`,
  "one text of accents": () =>
    `{"model":"short","messages":[{"role":"user","content":"${repeated("é", largest - 200)}"}]}`,
  "many messages": () => listed('{"role":"user","content":"hi"}', '{"model":"short","messages":[', "]}"),
  "many numbers": () => listed("1", '{"model":"short","input":[', "]}"),
  "no JSON": () => repeated("[", largest),
  NULs: () => Buffer.alloc(largest)
}

const row = (more: object) => `${JSON.stringify({ messages: [user("a ticket")], completion: "billing", ...more })}\n`
const fields = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n % 3]))

/** Contents of uploads. */
const contents: Readonly<Record<string, () => string>> = {
  "a row of 8 MB": () =>
    row({ messages: Array.from({ length: 8 }, () => user(repeated("ab@c.de 555-0100 é ", rowText))) }),
  "20 rows of 1 MB": () => row({ messages: [user(repeated("ab@c.de ", rowText - 10))] }).repeat(20),
  "10,000 rows of JSON with 50 fields": () =>
    Array.from({ length: 10_000 }, (_, n) =>
      row({ messages: [user(`${n}`)], completion: JSON.stringify(fields(50)) })
    ).join(""),
  "100,000 short rows": () =>
    Array.from({ length: 100_000 }, (_, n) => row({ messages: [user(`ticket ${n}`)], completion: `l${n % 7}` })).join(
      ""
    ),
  "lines that are no rows": () => repeated("{}\n", largest),
  "10,000 members": () => row({ metadata: fields(9_900) }).repeat(50)
}

class Requests extends Client {
  async upload(content: string): Promise<string | undefined> {
    const { id } = await this.json("announce", "POST", "/v1/distill/uploads", {
      filename: "r.jsonl",
      format: "chat_jsonl"
    })
    const path = `/v1/distill/uploads/${String(id)}`
    await this.send("upload", "PUT", `${path}/content`, content, { ...headers, "content-type": "application/x-ndjson" })
    return (await this.awaitSettled(path, "processing")) === "succeeded" ? String(id) : undefined
  }

  async version(upload: string): Promise<string> {
    const dataset = await this.json("dataset", "POST", "/v1/distill/datasets", { name: "large" })
    const redact = ["email", "api_key", "credit_card", "phone"]
    const path = `/v1/distill/datasets/${String(dataset["id"])}/versions`
    const { id } = await this.json("version", "POST", path, { from: { upload }, redact, holdout_fraction: 0.2 })
    await this.awaitSettled(`/v1/distill/dataset_versions/${String(id)}`, "building")
    return String(id)
  }

  async reward(kind: string, config: object): Promise<string> {
    const { id } = await this.json("reward", "POST", "/v1/distill/rewards", { name: kind, kind, config })
    return `/v1/distill/rewards/${String(id)}/score`
  }

  /** Returns once no captured call waits for storage. */
  async awaitCaptured(): Promise<void> {
    for (;;) {
      const health = JSON.parse(await this.send("health", "GET", "/healthz", null, {})) as Record<
        string,
        { waiting?: number }
      >
      if ((health["capture"]?.waiting ?? 0) === 0) return
      await sleep(20)
    }
  }
}

const scored = { row: { messages: [user("a ticket")], completion: "billing" }, completion: "billing" }

/** Reads the longest hold since the last time, in milliseconds. */
const takeHold = (socketPath: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let text = ""
    connect(socketPath)
      .on("data", (data) => {
        text += data
      })
      .on("end", () => resolve(Number(text)))
      .on("error", reject)
  })

interface Hold {
  readonly name: string
  readonly millis: number
}

type Step = readonly [name: string, act: () => Promise<unknown>]

const proxied = (client: Requests): ReadonlyArray<Step> => {
  const call = (body: string | Buffer) => async () => {
    await client.send("call", "POST", completions, body)
    await client.awaitCaptured()
  }
  return [
    ...Object.entries(requests).map(([name, body]): Step => [`request: ${name}`, () => call(body())()]),
    ...Object.keys(answers).map((model): Step => [`answer: ${model}`, call(question(model))]),
    ["list of these calls", () => client.send("list", "GET", "/v1/distill/calls?limit=20")],
    ["search in these calls", () => client.send("search", "GET", "/v1/distill/calls?text=nowhere")]
  ]
}

const rows = (client: Requests): ReadonlyArray<Step> =>
  Object.entries(contents).flatMap(([name, content]): ReadonlyArray<Step> => {
    let upload: string | undefined
    let version: string | undefined
    return [
      [
        `upload: ${name}`,
        async () => {
          upload = await client.upload(content())
        }
      ],
      [
        `version: ${name}`,
        async () => {
          version = upload && (await client.version(upload))
        }
      ],
      [
        `rows of the version: ${name}`,
        () => client.send("rows", "GET", `/v1/distill/dataset_versions/${version ?? ""}/rows?limit=100`)
      ]
    ]
  })

const rewards = (client: Requests): ReadonlyArray<Step> => {
  const objects = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n })))
  const score = (kind: string, config: object, body: object) => async () =>
    client.json(kind, "POST", await client.reward(kind, config), body)
  const text = repeated("a", 900_000)
  return [
    [
      "score: unique items",
      score("json_schema", { schema: { type: "array", uniqueItems: true } }, { ...scored, completion: objects })
    ],
    ["score: exact match of 900 KB", score("exact_match", {}, { ...scored, completion: text })],
    ["score: pattern over 900 KB", score("regex", { pattern: "(a+)+b" }, { ...scored, completion: text })],
    ["score: numbers in 900 KB", score("numeric_match", {}, { ...scored, completion: repeated("1 ", 900_000) })],
    ["score: 19,000 members", score("exact_match", {}, { ...scored, row: { ...scored.row, metadata: fields(19_000) } })]
  ]
}

const questions = (client: Requests): ReadonlyArray<Step> => {
  /** A refusal would measure nothing of the work. */
  const accepted = async (path: string, body: object) => {
    const answer = await client.json(path, "POST", path, body)
    if ((answer["error"] ?? null) !== null) throw new Error(`${path} was refused: ${JSON.stringify(answer["error"])}`)
    return String(answer["id"])
  }
  const agent = () =>
    accepted("/v1/agents", {
      name: `a${performance.now()}`,
      model: "short",
      source: "large",
      instructions: "é".repeat(ChatLimits.instructionsMax)
    })
  return [
    [
      "chat: the longest question",
      async () => accepted("/v1/chat", { agent: await agent(), text: "é".repeat(ChatLimits.textMax) })
    ],
    [
      "chat: the longest conversation",
      async () => {
        const asked = { agent: await agent(), session: `s${performance.now()}` }
        // As many long messages as a model is shown of before.
        for (let n = 0; n < 4; n++) await accepted("/v1/chat", { ...asked, text: "é\n".repeat(ChatLimits.textMax / 2) })
      }
    ],
    [
      "feedback: the longest comment",
      () =>
        accepted("/v1/distill/feedback", {
          external_id: "e",
          name: "q",
          value: 1,
          comment: "é".repeat(CaptureLimits.commentMax)
        })
    ],
    ["body of 1 MiB", () => client.json("dataset", "POST", "/v1/distill/datasets", { name: repeated("x", 1_000_000) })],
    ["body of 20,000 members", () => client.json("dataset", "POST", "/v1/distill/datasets", fields(19_000))],
    ["body that nests", () => client.send("nested", "POST", "/v1/distill/datasets", "[".repeat(1_000_000))]
  ]
}

/** Lets V8 optimize first: some defects appear only in optimized code. */
const warmUps = 600

const warmUp = async (client: Requests) => {
  for (let n = 0; n < warmUps; n++) await client.send("warm-up", "POST", completions, question("60 KB"))
  await client.awaitCaptured()
}

/** Each three times; the longest of them counts. */
const times = 3

/** `wanted`: a word in the names to measure; by default all. */
export const measure = async (origin: string, socketPath: string, wanted?: string) => {
  const told = new Answers()
  const client = new Requests({ origin, answers: told, isOver: () => false })
  const upstream = await listen()
  const source = { name: "large", kind: "byok", base_url: upstream.base_url, api_key: "sk-bench-key", default: true }
  await client.json("source", "POST", "/v1/sources", source)
  await warmUp(client)
  const holds: Array<Hold> = []
  const steps = [...rows(client), ...rewards(client), ...questions(client), ...proxied(client)]
  for (const [name, act] of steps.filter(([name]) => wanted === undefined || name.includes(wanted))) {
    await takeHold(socketPath)
    for (let n = 0; n < times; n++) await act()
    const millis = await takeHold(socketPath)
    process.stdout.write(`${millis.toFixed(0).padStart(6)} ms  ${name}\n`)
    holds.push({ name, millis })
  }
  upstream.close()
  await client.close()
  return { holds, told: String(told) }
}
