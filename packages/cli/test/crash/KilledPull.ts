/** A server killed while it fetches a pull, and again while it reads the rows. */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Refusal } from "../Api.ts"
import { usedFolder } from "../DataFolder.ts"
import { quiet, Server } from "../Server.ts"
import * as Hold from "./Hold.ts"

/** Rows of what is pulled. */
export const count = caseCount(3_000, 60_000)

interface Pull {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly bytes: number | null
}

/** Pauses the worker after reading the rows of a pull, before the write. */
const rowsRead: Hold.Place = {
  statements: "BEFORE UPDATE ON limbeck.resources FOR EACH ROW WHEN (OLD.kind = 'connector_pull')",
  condition: "OLD.doc #>> '{blob,sha256}' IS NOT NULL"
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

/** Pulls by such a connector, and kills in the middle of the content and before the count of its rows is stored; returns the pull as it ended. */
export const killedPull = async (atEnd: AtEnd, host: Host, connector: object, isInTheMiddle: () => boolean) => {
  const DATA_DIR = await usedFolder(atEnd)
  const server = await new Server(atEnd, { ...quiet, STORAGE: "embedded", DATA_DIR }).start()
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
  await Hold.hold(await Hold.embeddedUrl(DATA_DIR), rowsRead)
  host.release()

  await Hold.isHeld(await Hold.embeddedUrl(DATA_DIR))
  const fetched = await api.get<Pull>(path)
  assert.isNotNull(fetched.bytes)
  assert.deepInclude(fetched, { status: "running", rows: null })
  await restart()
  await Hold.release(await Hold.embeddedUrl(DATA_DIR))
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
