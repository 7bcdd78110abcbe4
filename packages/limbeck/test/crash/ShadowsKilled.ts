/** A server without its storage is killed after its shadow students' answers: the next server stores their results. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { client } from "@limbeck/testing/http/Client"
import { deployAndWait, llm, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { Pool } from "undici"
import * as CapturedCalls from "../support/CapturedCalls.ts"
import { waitingAt } from "../support/Journals.ts"
import * as ProxyServers from "../support/ProxyServers.ts"
import * as Relay from "../support/Relay.ts"

const liveToken = ProxyServers.token.replace("test", "live")
const calls = 80
const clients = 8

const deploy = async (origin: string, models: Models) => {
  const live = client(origin, liveToken)
  const { id: version } = await ticketsVersion(live)
  const source = await createSource(live, { base_url: models.speaking("upstream") })
  await deployAndWait(live, {
    alias: "desk",
    mode: "shadow",
    student_model: await studentOf(live, llm, version),
    endpoint: { base_url: models.speaking("student"), model: "student-1", api_key: key },
    fallback: { source: source.name, model: "gpt" }
  })
}

export const shadowsKilled = async (atEnd: AtEnd) => {
  const stored = await CapturedCalls.open(atEnd)
  const relay = await Relay.open(atEnd, new URL(url))
  const models = new Models()
  await models.open()
  atEnd(() => models.close())
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const options = { url: relay.url, schema: stored.schema, directory, token: ProxyServers.token, liveToken }
  const servers = ProxyServers.open(atEnd, options)
  const server = servers.start()
  const origin = await server.origin
  await deploy(origin, models)

  const pool = new Pool(origin, { connections: clients })
  atEnd(() => pool.destroy())
  const received: Array<string> = []
  const call = async () => {
    const answer = await pool.request({
      method: "POST",
      path: "/v1/proxy/chat/completions",
      headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc:desk", messages: [{ role: "user", content: "?" }] })
    })
    await answer.body.dump()
    assert.strictEqual(answer.headers["x-service-served-by"], "shadow")
    received.push(String(answer.headers["x-service-call-id"]))
  }
  await call()
  // What the server does not know to be stored would wait with the others.
  const isFirstStored = async () => (await stored.shadowed()).length === 1 && (await waitingAt(origin)) === 0
  await eventually("the first is stored", isFirstStored)
  relay.cut()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (received.length < calls) await call()
    })
  )
  const records = 2 * (received.length - 1)
  await eventually("all is in the journal", async () => (await waitingAt(origin)) === records)
  await server.end()
  assert.lengthOf(await stored.shadowed(), 1)

  relay.mend()
  await servers.start().origin
  await eventually("all is stored", async () => (await stored.shadowed()).length >= received.length)
  assert.sameMembers(await stored.shadowed(), received)
}
