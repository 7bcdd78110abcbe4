/** Two servers, on which each test has a workspace of its own. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { type Answer, Api, countBy, type Event, type Refusal, type Run, type StreamEvent, Walk } from "./Api.ts"
import { runHere } from "./InProcess.ts"
import { Receiver } from "./Receiver.ts"
import { attemptsOf, twoServers } from "./TwoServers.ts"

const atEnd = fromHooks(afterAll)
let running: Awaited<ReturnType<typeof twoServers>>

beforeAll(async () => {
  running = await twoServers(atEnd)
})

/** Both servers as the clients of a fresh workspace. */
const ownWorkspace = async () => {
  const { code, stdout } = await runHere(running.environment, ["workspace", "create", "--name", "own"])
  assert.strictEqual(code, 0)
  const token = /svc_test_\w+$/m.exec(stdout.join("\n"))?.[0]
  assert.isDefined(token)
  const [a, b] = running.servers
  return { a: new Api(a, token), b: new Api(b, token), token }
}

const prompt = () => ({ status: 200, delayMillis: 0 })

it("40 clients with one key, spread over both, make one run", async () => {
  const { a, b } = await ownWorkspace()
  const body = await a.plan()
  const send = (api: Api) => api.call<Run & Partial<Refusal>>("POST", "/v1/distill/runs", { body, key: "one" })
  const answers: ReadonlyArray<Answer<Run & Partial<Refusal>>> = await Promise.all(
    Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? a : b))
  )
  const answered = answers.filter(({ status }) => status === 201)
  const others = answers.filter(({ status }) => status !== 201)
  assert.isTrue(others.every((answer) => answer.body.error?.code === "idempotency_key_in_flight"))
  assert.strictEqual(answered.filter(({ headers }) => !headers.has("idempotent-replayed")).length, 1)
  // Sequential: replays of one key also wait for each other.
  const late = [await send(a), await send(b)]
  assert.deepStrictEqual(
    late.map(({ headers }) => headers.get("idempotent-replayed")),
    ["true", "true"]
  )
  assert.strictEqual(new Set([...answered, ...late].map(({ text }) => text)).size, 1)
  assert.lengthOf(await b.list<Run>("/v1/distill/runs"), 1)
})

it("a token that one disables is refused by it at once, and by the other soon, however busy it is (P180)", async () => {
  const { a, b } = await ownWorkspace()
  const scopes = ["full_access"]
  const { id, secret } = await a.create<{ id: string; secret: string }>("/v1/tokens", { name: "short", scopes })
  const [atA, atB] = [a, b].map(({ server }) => new Api(server, secret))
  const statusOf = async (api: Api | undefined) => (await api?.call("GET", "/v1/tokens"))?.status
  assert.deepStrictEqual([await statusOf(atA), await statusOf(atB)], [200, 200])
  assert.strictEqual((await a.call("DELETE", `/v1/tokens/${id}`)).status, 200)
  assert.strictEqual(await statusOf(atA), 401)
  // Each look uses the cache of the last.
  await eventually("the other server refuses it too", async () => (await statusOf(atB)) === 401)
  assert.strictEqual(await statusOf(b), 200)
})

it("a source of one that leads to the other is a loop, and refused by that (P113)", async () => {
  const { a, b, token } = await ownWorkspace()
  const source = {
    name: "loop",
    kind: "byok",
    base_url: `${b.server.origin}/v1/proxy`,
    api_key: token,
    default: true
  }
  await a.create("/v1/sources", source)
  const body = { model: "gpt", messages: [] }
  const answer = await a.call<Refusal>("POST", "/v1/proxy/chat/completions", { body })
  assert.deepStrictEqual([answer.status, answer.body.error?.code], [400, "proxy_loop"])
})

it("runs that one was given are driven once each, and their webhooks sent once each, no matter by which server (P42)", async ({
  onTestFinished
}) => {
  const { a, b } = await ownWorkspace()
  const receiver = new Receiver(prompt)
  const endpoint = await receiver.subscribe(onTestFinished, a)
  const over = await b.whenOver(await a.runs(await a.plan(), 12))
  for (const run of over) {
    assert.strictEqual(run.status, "succeeded")
    assert.deepStrictEqual(attemptsOf(run), [1, 1, 0, 1, 1])
  }
  const events = await b.events()
  const deliveries = await eventually("every delivery has succeeded", async () => {
    const all = await b.list<{ status: string; attempt_count: number }>(
      `/v1/webhook_endpoints/${endpoint.id}/deliveries`
    )
    return all.every(({ status }) => status === "succeeded") ? all : undefined
  })
  assert.lengthOf(deliveries, events.length)
  assert.isTrue(deliveries.every(({ attempt_count }) => attempt_count === 1))
  receiver.assertGenuine()
  assert.sameMembers(
    receiver.arrivals.map(({ event }) => event),
    events.map(({ id }) => id)
  )
})

it("a run's stream is told by either server, whichever drives the run, and a client goes on at the other one (P52)", async () => {
  const { a, b } = await ownWorkspace()
  const runs = await a.runs(await a.plan(), 6)
  const told = await Promise.all(
    runs.map(async ({ id }, index) => {
      const events: Array<StreamEvent> = []
      // A few events from one server, the next few from the other, to the stream's end.
      for (let turn = index; ; turn++) {
        const part = await (turn % 2 === 0 ? a : b).stream(id, events.at(-1)?.id, 1 + index)
        events.push(...part.events)
        if (part.ended) return events
      }
    })
  )
  for (const [index, events] of told.entries()) {
    assert.deepStrictEqual(
      events.map(({ id }) => Number(id)),
      events.map((_, nth) => nth + 1)
    )
    assert.deepStrictEqual(events, (await b.stream(runs[index]!.id)).events)
    assert.include(events.at(-1)?.data, '"status":"succeeded"')
  }
})

it("a client that walks the events of one while 12 writers make them on both sees each once, in one order (P42)", async () => {
  const { a, b } = await ownWorkspace()
  const plan = await a.plan()
  const walk = new Walk<Event>(b, "/v1/events?order=asc")
  let isOpen = true
  const walking = (async () => {
    while (isOpen || walk.hasMore) await walk.step()
  })()
  const writers = Array.from({ length: 12 }, async (_, index) => {
    const api = index % 2 === 0 ? a : b
    const runs: Array<Run> = []
    for (let count = 0; count < 3; count++) runs.push(await api.create<Run>("/v1/distill/runs", plan))
    return runs
  })
  const runs = (await Promise.all(writers)).flat()
  await a.whenOver(runs)
  isOpen = false
  await walking

  const all = await a.events()
  await eventually("the walk meets every event", async () => {
    await walk.step()
    return walk.seen.length >= all.length ? true : undefined
  })
  const seen = walk.seen.map(({ id }) => id)
  assert.deepStrictEqual(
    seen,
    all.map(({ id }) => id)
  )
  assert.strictEqual(new Set(seen).size, seen.length)
  const ofRuns = countBy(walk.seen, ({ type }) => type)
  for (const type of ["distill.run.created", "distill.run.started", "distill.report.ready", "distill.run.succeeded"]) {
    assert.strictEqual(ofRuns.get(type), runs.length, type)
  }
})
