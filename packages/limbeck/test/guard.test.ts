/** A guard at two servers of one database: both verify, and both take the student out of traffic (contract 15.15). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import * as Database from "@limbeck/testing/database/Database"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { client, expectStatus, type ListOf } from "@limbeck/testing/http/Client"
import {
  type DeploymentView,
  deployAndWait,
  deploymentEvents,
  get,
  llm,
  path,
  studentOf
} from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { waitingAt } from "./support/Journals.ts"
import * as ProxyServers from "./support/ProxyServers.ts"
import * as Relay from "./support/Relay.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const liveToken = ProxyServers.token.replace("test", "live")

it("a student that drifts is found by what two servers see of it, once, and answers at neither, also after both were killed (P215)", {
  timeout: patienceMillis
}, async ({ onTestFinished: atEnd }) => {
  const { schema } = await Database.openSchema(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token, liveToken })
  const [first, second] = [servers.start(), servers.start()]
  const callers = [client(await first.origin, liveToken), client(await second.origin, liveToken)] as const
  const [one] = callers

  let mood = ""
  const echo = (sent: { readonly messages: ReadonlyArray<{ readonly content: string }> }) => sent.messages[0]!.content
  const source = await createSource(one, { base_url: models.speaking((sent) => mood + echo(sent)) })
  const { id } = await deployAndWait(one, {
    alias: "desk",
    mode: "shadow",
    student_model: await studentOf(one, llm, (await ticketsVersion(one)).id),
    endpoint: { base_url: models.speaking(echo), model: "student-1", api_key: key },
    fallback: { source: source.name, model: "gpt" },
    guard: { verify_percent: 100, min_agreement: 0.8 }
  })
  let asked = 0
  const ask = async (caller: typeof one) => {
    const answer = await caller.post("/v1/proxy/chat/completions", {
      model: "svc:desk",
      messages: [{ role: "user", content: `question ${++asked % 7}` }]
    })
    expectStatus(answer, 200)
    return answer.headers.get("x-service-served-by")
  }
  for (let nth = 0; nth < 60; nth++) await ask(callers[nth % 2 === 0 ? 0 : 1])
  await eventually("shadow is evidence", async () => (await get(one, id)).agreement?.comparisons === 60)
  expectStatus(await one.patch<DeploymentView>(`${path}/${id}`, { mode: "active" }), 200)
  for (const caller of callers) {
    await eventually("the student answers", async () => (await ask(caller)) === "student")
  }

  mood = "no: "
  for (const caller of callers) {
    await eventually("the fallback answers", async () => (await ask(caller)) === "upstream_fallback")
  }
  const { breach } = (await get(one, id)).guard!
  assert.isBelow(breach!.high, 0.8)
  const guarded = (await deploymentEvents(one)).filter(({ type }) => type === "distill.deployment.guarded")
  assert.lengthOf(guarded, 1)

  await Promise.all([first.end(), second.end()])
  const next = client(await servers.start().origin, liveToken)
  assert.strictEqual(await ask(next), "upstream_fallback")
  assert.deepStrictEqual((await get(next, id)).guard?.breach, breach)
})

it("what the upstream says to verify a student is compared once each, also where the server was killed while it waited for the storage (P214)", {
  timeout: patienceMillis
}, async ({ onTestFinished: atEnd }) => {
  const { schema } = await Database.openSchema(atEnd)
  const relay = await Relay.open(atEnd, new URL(url))
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const options = { url: relay.url, schema, directory, token: ProxyServers.token, liveToken }
  const servers = ProxyServers.open(atEnd, options)
  const server = servers.start()
  const origin = await server.origin
  const live = client(origin, liveToken)
  const echo = (sent: { readonly messages: ReadonlyArray<{ readonly content: string }> }) => sent.messages[0]!.content
  const source = await createSource(live, { base_url: models.speaking(echo) })
  const { id } = await deployAndWait(live, {
    alias: "desk",
    mode: "shadow",
    student_model: await studentOf(live, llm, (await ticketsVersion(live)).id),
    endpoint: { base_url: models.speaking(echo), model: "student-1", api_key: key },
    fallback: { source: source.name, model: "gpt" },
    guard: { verify_percent: 100, min_agreement: 0.8 }
  })
  const ask = async (nth: number) => {
    const messages = [{ role: "user", content: `question ${nth % 7}` }]
    const answer = await live.post("/v1/proxy/chat/completions", { model: "svc:desk", messages })
    return expectStatus(answer, 200) && answer.headers.get("x-service-served-by")
  }
  for (let nth = 0; nth < 60; nth++) await ask(nth)
  await eventually("shadow is evidence", async () => (await get(live, id)).agreement?.comparisons === 60)
  expectStatus(await live.patch<DeploymentView>(`${path}/${id}`, { mode: "active" }), 200)
  await eventually("the student answers", async () => (await ask(0)) === "student")
  // Only the active student's comparisons count, without those in shadow.
  const compared = async (caller: typeof live) => (await get(caller, id)).agreement?.comparisons ?? 0
  // The verification of the student's only answered call.
  const verifications = "/v1/distill/calls?verifies=true&tag=verification"
  await eventually("it is verified", async () => {
    const { data } = expectStatus(await live.get<ListOf<unknown>>(verifications), 200)
    return data.length === 1 && (await compared(live)) === 1 && (await waitingAt(origin)) === 0
  })
  relay.cut()
  const more = 30
  for (let nth = 0; nth < more; nth++) assert.strictEqual(await ask(nth), "student")
  // Each takes three records: the student's call, its verification, and the upstream's call.
  await eventually("all is in the journal", async () => (await waitingAt(origin)) === 3 * more)
  await server.end()
  relay.mend()
  const next = client(await servers.start().origin, liveToken)
  await eventually("all is compared", async () => (await compared(next)) === 1 + more)
})
