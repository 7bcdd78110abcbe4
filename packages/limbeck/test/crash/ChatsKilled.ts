/** Three servers on one database answer questions by a slow model, and are killed again and again. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { openSchema } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { luck } from "@limbeck/testing/random/Luck"
import { ChatClients, type ChatMessage, conversationsAt } from "../support/ChatClients.ts"
import { post } from "../support/ProxyClients.ts"
import * as ProxyServers from "../support/ProxyServers.ts"

const kills = caseCount(3, 100)
const places = 3
const clients = caseCount(16, 48)
const seed = 20_261_122
/** Minimum questions under way at a kill. */
const underWayMin = 2

const open = async (atEnd: AtEnd, server: ReturnType<typeof createServer>): Promise<string> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
}

/** Echoes a question after a while; counts concurrent ones per session. */
class SlowModel {
  mostAtOnce = 0
  readonly #underWay = new Map<string, number>()
  readonly #next = luck(seed)
  readonly #server = createServer(async (request, response) => {
    const { messages } = JSON.parse((await request.toArray()).join(""))
    const mark: string = messages.at(-1).content
    const session = mark.slice(mark.indexOf(" of "))
    const count = () => this.#underWay.get(session) ?? 0
    this.#underWay.set(session, count() + 1)
    response.once("close", () => this.#underWay.set(session, count() - 1))
    // The connection of a killed server may be closed in the same turn of the event loop.
    await turn()
    await turn()
    this.mostAtOnce = Math.max(this.mostAtOnce, count())
    await sleep(100 + this.#next() * 300)
    const choices = [{ index: 0, message: { role: "assistant", content: `to ${mark}` } }]
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "c", choices }))
  })

  get underWay(): number {
    return [...this.#underWay.values()].reduce((sum, count) => sum + count, 0)
  }

  open(atEnd: AtEnd): Promise<string> {
    return open(atEnd, this.#server)
  }
}

/** Records the id of every message received. */
const receiver = async (atEnd: AtEnd) => {
  const told: Array<string> = []
  const next = luck(seed + 1)
  const server = createServer(async (request, response) => {
    told.push(JSON.parse((await request.toArray()).join("")).id)
    await sleep(next() * 200)
    response.writeHead(204).end()
  })
  return { told, url: await open(atEnd, server) }
}

const isOver = ({ callback, status }: ChatMessage): boolean => status !== "queued" && callback?.status !== "pending"

/** A question and its answer take turns, whatever was killed in between. */
const assertPairs = (messages: ReadonlyArray<ChatMessage>) => {
  for (const [index, { question, role, status }] of messages.entries()) {
    assert.strictEqual(role, index % 2 === 0 ? "user" : "assistant")
    assert.strictEqual(question, index % 2 === 0 ? null : messages[index - 1]!.id)
    assert.include(["completed", "failed"], status)
  }
}

export const chatsKilled = async (atEnd: AtEnd) => {
  const model = new SlowModel()
  const { told, url: webhook } = await receiver(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const { schema } = await openSchema(atEnd)
  const servers = ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token })
  const next = luck(seed + 2)

  const first = await servers.start().origin
  const base_url = `${await model.open(atEnd)}/v1`
  await post(first, "/v1/sources", { name: "m", kind: "byok", base_url, default: true, models: ["m"] })

  const origins = Array.from({ length: places }, () => first)
  let killed = 0
  const chatting = new ChatClients(webhook, () => origins[Math.floor(next() * places)]!)
  const asking = chatting.run(clients, () => killed >= kills)
  const place = async (_: unknown, index: number) => {
    while (killed < kills) {
      const server = servers.start()
      origins[index] = await server.origin
      await sleep(50 + next() * 200)
      // Clients stop after the last kill: then no more answers come under way.
      await eventually("answers are under way", () => killed >= kills || model.underWay >= underWayMin)
      killed++
      await server.end()
    }
  }
  await Promise.all(origins.map(place))
  const last = await servers.start().origin
  origins.fill(last)
  await asking

  const conversations = await eventually("every message has ended", async () => {
    const found = await conversationsAt(last)
    return [...found.values()].flat().every(isOver) && found
  })
  const all = [...conversations.values()].flat()
  const byId = new Map(all.map((message) => [message.id, message]))
  const answersTo = (mark: string) => all.filter(({ role, text }) => role === "assistant" && text === `to ${mark}`)

  assert.deepStrictEqual(chatting.refused, [])
  for (const messages of conversations.values()) assertPairs(messages)
  for (const { id, kind, mark, text } of chatting.taken) {
    const message = byId.get(id)
    // None is lost, and the client's text equals the stored one.
    assert.isDefined(message, mark)
    if (text !== null) assert.deepStrictEqual([message?.status, message?.text], ["completed", text])
    // None is answered twice; a callback's question fails only after the maximum number of killed workers.
    const isGivenUp = kind === "callback" && message?.status === "failed"
    if (isGivenUp) assert.strictEqual(message?.error?.code, "interrupted")
    assert.lengthOf(answersTo(mark), isGivenUp ? 0 : 1, mark)
  }
  // One attempt per callback, and each success exactly one.
  assert.strictEqual(new Set(told).size, told.length)
  const called = all.filter(({ callback }) => callback !== null)
  for (const { callback, id } of called) {
    assert.include(["succeeded", "attempted", "failed"], callback?.status)
    if (callback?.status === "succeeded") assert.include(told, id)
  }
  assert.isAtLeast(called.filter(({ callback }) => callback?.status === "succeeded").length, kills)
  assert.strictEqual(model.mostAtOnce, 1)
  // A killed question in place or as a stream goes on under its key, so only callbacks may fail.
  assert.deepStrictEqual(
    all.filter(({ callback, status }) => status === "failed" && callback === null),
    []
  )
  assert.isAbove(chatting.taken.length, kills)
}
