/**
 * Heavy input never blocks the server: during the work, each health check costs little processor time of the main thread.
 * Measures processor time, so that a busy machine changes nothing, and compares it with the time of known work meanwhile, so that a
 * slow machine changes nothing either.
 */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { patienceMillis } from "@limbeck/testing/Eventually"
import * as Tools from "@limbeck/testing/Tools"
import { Api, rows, type Upload } from "./Api.ts"
import { quiet, Server } from "./Server.ts"

/** Nanoseconds of processor time begin Linux's statistics of a thread. */
const millisOf = (thread: string): number =>
  Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6
const mainThreadMillis = (pid: number): number => millisOf(`${pid}/task/${pid}`)

const known = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ role: "user", content: `${n}` })))

/** The processor time of known work, in milliseconds. */
const yardstick = (): number => {
  const before = millisOf("thread-self")
  JSON.stringify(JSON.parse(known))
  return millisOf("thread-self") - before
}

/** Code that V8 has not optimized yet would measure too long. */
const warmUps = 5

/** So many looks at the health come between two uses of the yardstick. */
const looksBetween = 8

/** Between two looks: a small part of the time for which the thread would be held, so that a look waits for most of it. */
const pauseMillis = 20

/**
 * The most that the main thread did before it answered a look at the health while `work` was done, in yardsticks: as a multiple of
 * the longest one of the same time.
 */
const longestDuring = async <A>(server: Server, work: () => Promise<A>): Promise<readonly [A, number]> => {
  const api = new Api(server)
  let [longest, done] = [0, false]
  for (let warmUp = 0; warmUp < warmUps; warmUp++) yardstick()
  const yardsticks = [yardstick()]
  const watch = async () => {
    for (let looks = 1; !done; looks++) {
      const before = mainThreadMillis(server.pid)
      assert.strictEqual((await api.call("GET", "/healthz")).status, 200)
      longest = Math.max(longest, mainThreadMillis(server.pid) - before)
      if (looks % looksBetween === 0) yardsticks.push(yardstick())
      await sleep(pauseMillis)
    }
  }
  const watching = watch()
  const result = await work().finally(() => {
    done = true
  })
  await watching
  yardsticks.push(yardstick(), yardstick())
  return [result, longest / Math.max(...yardsticks)] as const
}

const row = (members: string) => `{"messages":[{"role":"user","content":"a"}],"completion":"b"${members}}`
const items = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`

const refused: Readonly<Record<string, string>> = {
  "a million members": row(
    `,"metadata":{${Array.from({ length: 1_000_000 }, (_, index) => `"m${index}":${index}`).join(",")}}`
  ),
  "two million empty objects": row(`,"tools":${items(2_000_000, "{}")}`),
  "200,000 messages": `{"messages":${items(200_000, '{"role":"user","content":"a"}')},"completion":"b"}`,
  "half a million bad lines": "x\n".repeat(500_000)
}

const emptyMember = gzipSync("")
const accepted: Readonly<Record<string, string | Buffer>> = {
  "8 million characters full of addresses": `{"messages":${items(8, `{"role":"user","content":"${"ab@c.de ".repeat(124_000)}"}`)},"completion":"b"}`,
  "half a million groups of digits": `{"messages":[{"role":"user","content":"${"1 ".repeat(499_000)}"}],"completion":"b"}`,
  "200,000 empty members of gzip": Buffer.concat([
    gzipSync(rows(10)),
    ...Array.from({ length: 200_000 }, () => emptyMember)
  ])
}

/** In yardsticks, including the small cost of a health check: a quarter of a second, where a yardstick takes 25 milliseconds. */
const heldMax = 10

describe.skipIf(!Tools.isLinux("heavy input"))("heavy input", () => {
  const server = new Server(afterAll, { ...quiet, STORAGE: "memory" })
  beforeAll(() => server.start())

  it("of uploads and their versions holds nobody up (P124)", { timeout: 4 * patienceMillis }, async () => {
    const api = new Api(server)
    const send = async (content: string | Buffer): Promise<Upload> => {
      const upload = await api.announce()
      const { pathname, search } = new URL(upload.upload_url)
      const body = typeof content === "string" ? content : new Uint8Array(content)
      // @effect-diagnostics-next-line globalFetch:off
      assert.strictEqual((await fetch(server.origin + pathname + search, { method: "PUT", body })).status, 202)
      return api.uploaded(upload)
    }
    const held: Record<string, number> = {}
    for (const [name, content] of Object.entries(refused)) {
      const [upload, longest] = await longestDuring(server, () => send(content))
      assert.strictEqual(upload.status, "failed", name)
      held[name] = longest
    }
    const dataset = await api.create<{ id: string }>("/v1/distill/datasets", { name: "heavy" })
    for (const [name, content] of Object.entries(accepted)) {
      const [version, longest] = await longestDuring(server, async () => {
        const upload = await send(content)
        const path = `/v1/distill/datasets/${dataset.id}/versions`
        const redact = ["email", "phone", "credit_card", "api_key"]
        return api.built(await api.create<{ id: string }>(path, { from: { upload: upload.id }, redact }))
      })
      assert.strictEqual(version.status, "ready", name)
      held[name] = longest
    }
    for (const [name, longest] of Object.entries(held)) assert.isBelow(longest, heldMax, name)
  })

  it("of rewards holds nobody up (P129)", { timeout: 2 * patienceMillis }, async () => {
    const api = new Api(server)
    const reward = (kind: string, config: unknown) =>
      api.create<{ id: string }>("/v1/distill/rewards", { name: kind, kind, config })
    const unique = await reward("json_schema", { schema: { type: "array", uniqueItems: true } })
    const pattern = await reward("regex", { pattern: "^(a|aa)+$" })
    const exact = await reward("exact_match", {})
    const score = ({ id }: { readonly id: string }, completion: string, metadata = {}) =>
      api.call("POST", `/v1/distill/rewards/${id}/score`, {
        body: { row: { messages: [{ role: "user", content: "a" }], completion: "b", metadata }, completion }
      })
    const objects = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n })))
    const members = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`m${index}`, 1]))
    const statuses = async (all: ReadonlyArray<ReturnType<typeof score>>) =>
      new Set((await Promise.all(all)).map(({ status }) => status))
    const many = <A>(make: () => A): ReadonlyArray<A> => Array.from({ length: 5 }, make)
    const cases = [
      [200, () => many(() => score(unique, objects))],
      [200, () => many(() => score(pattern, `${"a".repeat(900_000)}!`))],
      [400, () => [score(exact, "b", members)]]
    ] as const
    for (const [status, ask] of cases) {
      const [found, longest] = await longestDuring(server, () => statuses(ask()))
      assert.deepStrictEqual(found, new Set([status]))
      assert.isBelow(longest, heldMax)
    }
  })
})
