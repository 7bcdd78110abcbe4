/** A server killed while it fetches a pull, and again while it reads the rows. */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { sized } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Refusal } from "../Api.ts"
import { embedded } from "../Server.ts"

/** Rows of what is pulled. */
export const count = sized(30_000, 60_000)

interface Pull {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly bytes: number | null
}

/** Where a pull gets its content from. While it is held, it answers nobody. */
interface Host {
  readonly origin: string
  readonly hold: () => void
  readonly release: () => void
}

export const hosting = async (atEnd: AtEnd, listener: RequestListener): Promise<Host> => {
  const waiting: Array<() => void> = []
  let isHeld = false
  const host = createServer((request, response) => {
    if (isHeld) waiting.push(() => listener(request, response))
    else listener(request, response)
  }).listen(0, "127.0.0.1")
  await once(host, "listening")
  atEnd(() => {
    host.closeAllConnections()
    host.close()
  })
  const { port } = host.address() as AddressInfo // It listens on a port.
  const hold = () => {
    isHeld = true
  }
  const release = () => {
    isHeld = false
    for (const answer of waiting.splice(0)) answer()
  }
  return { origin: `http://127.0.0.1:${port}`, hold, release }
}

/** Pulls by such a connector, and kills in the middle of the content and behind it; returns the pull as it ended. */
export const killedPull = async (atEnd: AtEnd, host: Host, connector: object, isInTheMiddle: () => boolean) => {
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const restart = async () => {
    await server.kill()
    await server.start()
  }
  const made = await api.create<{ readonly id: string }>("/v1/distill/connectors", connector)
  const { id } = await api.create<Pull>(`/v1/distill/connectors/${made.id}/pulls`, {})
  const path = `/v1/distill/pulls/${id}`

  await eventually("the pull is in the middle of the content", isInTheMiddle)
  host.hold()
  await restart()
  // Half a content is none.
  const { bytes, rows: read } = await api.get<Pull>(path)
  assert.deepStrictEqual([bytes, read], [null, null])
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "pulled" })
  const versions = `/v1/distill/datasets/${dataset.id}/versions`
  const early = await api.call<Refusal>("POST", versions, { body: { from: { pull: id } } })
  assert.deepStrictEqual([early.status, early.body.error.code], [409, "conflict_error"])
  host.release()

  await eventually("the content is here", async () => (await api.get<Pull>(path)).bytes ?? undefined)
  await restart()
  const pull = await eventually("the pull ends", async () => {
    const found = await api.get<Pull>(path)
    return isOver(found) && found
  })
  const told = (await api.events()).filter(({ type }) => type.startsWith("distill.pull."))
  assert.deepStrictEqual(
    told.map(({ type }) => type),
    ["distill.pull.succeeded"]
  )
  return { api, pull, versions }
}
