// The test and the servers share a machine, and so a clock.
// @effect-diagnostics globalDate:off
import { assert, it } from "@effect/vitest"
import { Api, type Answer, countBy, type Event, isOver, type Refusal, type Run, Walk } from "./Api.ts"
import { freshDatabase } from "./Database.ts"
import { Receiver } from "./Receiver.ts"
import { quiet, Server } from "./Server.ts"
import { eventually, patienceMillis } from "./Waiting.ts"

const takenUpMillis = 15_000

const twoServers = async () => {
  const DATABASE_URL = await freshDatabase()
  const environment = { ...quiet, DATABASE_URL, ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64") }
  const servers = [new Server(environment), new Server(environment)] as const
  // At once, on an empty database: one of them migrates it, and one of them makes the workspace.
  await Promise.all(servers.map((server) => server.start()))
  const [a, b] = servers
  return { a: new Api(a), b: new Api(b) }
}

const prompt = () => ({ status: 200, delayMillis: 0 })

const attemptsOf = (run: Run): ReadonlyArray<number> => run.stages.map(({ attempt }) => attempt)

/** How many runs ended how often. */
const endsOf = (events: ReadonlyArray<Event>, runs: ReadonlyArray<Run>) => {
  const ends = countBy(
    events.filter(({ type }) => type === "distill.run.succeeded"),
    ({ data }) => data.object.id
  )
  return runs.map(({ id }) => ends.get(id) ?? 0)
}

it("40 clients with one key, spread over both, make one run", async () => {
  const { a, b } = await twoServers()
  const body = await a.plan()
  const send = (api: Api) => api.call<Run & Partial<Refusal>>("POST", "/v1/distill/runs", { body, key: "one" })
  const answers: ReadonlyArray<Answer<Run & Partial<Refusal>>> = await Promise.all(
    Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? a : b))
  )
  const answered = answers.filter(({ status }) => status === 201)
  const others = answers.filter(({ status }) => status !== 201)
  assert.isTrue(others.every((answer) => answer.body.error?.code === "idempotency_key_in_flight"))
  assert.strictEqual(answered.filter(({ headers }) => !headers.has("idempotent-replayed")).length, 1)
  const late = await Promise.all([send(a), send(b)])
  assert.deepStrictEqual(
    late.map(({ headers }) => headers.get("idempotent-replayed")),
    ["true", "true"]
  )
  assert.strictEqual(new Set([...answered, ...late].map(({ text }) => text)).size, 1)
  assert.lengthOf(await b.list<Run>("/v1/distill/runs"), 1)
})

it("runs that one was given are driven once each, and their webhooks sent once each, whoever does it", async () => {
  const { a, b } = await twoServers()
  const receiver = new Receiver(prompt)
  const endpoint = await receiver.subscribe(a)
  const over = await b.whenOver(await a.runs(await a.plan(), 12))
  for (const run of over) {
    assert.strictEqual(run.status, "succeeded")
    assert.deepStrictEqual(attemptsOf(run), [1, 1, 0, 1, 1])
  }
  const events = await b.events()
  const deliveries = await eventually("every delivery has succeeded", async () => {
    const all = await b.list<{ status: string; attempt_count: number }>(`/v1/webhook_endpoints/${endpoint.id}/deliveries`)
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

it("what one was doing when it was killed, or held still for long, the other does", { timeout: 2 * patienceMillis }, async () => {
  const { a, b } = await twoServers()
  const plan = await a.plan()
  // While the other is held, all work is this one's.
  const occupy = async (busy: Api, held: Api) => {
    held.server.signal("SIGSTOP")
    const runs = await busy.runs(plan, 3)
    await eventually("all runs are under way", async () => {
      const found = await Promise.all(runs.map(({ id }) => busy.run(id)))
      return found.every(({ status }) => status === "running") ? true : undefined
    })
    return runs
  }
  /** All runs go on, and to their end, on a server that did not begin them. */
  const finish = async (api: Api, runs: ReadonlyArray<Run>) => {
    const since = Date.now()
    await eventually(
      "the other server takes the work up",
      async () => {
        const found = await Promise.all(runs.map(({ id }) => api.run(id)))
        return found.every((run) => isOver(run) || Math.max(...attemptsOf(run)) > 1) ? true : undefined
      },
      takenUpMillis
    )
    for (const run of await api.whenOver(runs)) {
      assert.strictEqual(run.status, "succeeded")
      assert.strictEqual(Math.max(...attemptsOf(run)), 2)
    }
    assert.isAbove(Date.now(), since)
    assert.deepStrictEqual(endsOf(await api.events(), runs), [1, 1, 1])
  }

  const runsOfB = await occupy(b, a)
  b.server.signal("SIGSTOP")
  a.server.signal("SIGCONT")
  await finish(a, runsOfB)
  // Back from the dead, it has lost its leases, and what it believes changes nothing.
  b.server.signal("SIGCONT")
  const before = await Promise.all(runsOfB.map(({ id }) => a.run(id)))

  const runsOfA = await occupy(a, b)
  await a.server.kill()
  b.server.signal("SIGCONT")
  await finish(b, runsOfA)
  assert.deepStrictEqual(await Promise.all(runsOfB.map(({ id }) => b.run(id))), before)
  assert.deepStrictEqual(endsOf(await b.events(), runsOfB), [1, 1, 1])
})

it("a client that walks the events of one while 12 writers make them on both sees each once, in one order", async () => {
  const { a, b } = await twoServers()
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
  await walk.step()

  const seen = walk.seen.map(({ id }) => id)
  const all = await a.events()
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
