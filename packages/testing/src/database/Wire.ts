/**
 * A relay to Postgres that records packets: which statements left together, before any response. Such a packet is a round
 * trip.
 */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { AtEnd } from "../AtEnd.ts"

/** Where a cut connection breaks: before the packet goes out, or once Postgres has done it, with its answer lost. */
export type Cut = "answer" | "packet"

/** The statements of one round trip, in execution order. */
export interface Trip {
  /** Which connection, counted from 1. */
  readonly connection: number
  readonly statements: ReadonlyArray<string>
}

/** A libpq URI may name a folder of unix sockets. */
export const toDatabase = ({ hostname, port, searchParams }: URL): Socket => {
  const host = searchParams.get("host") ?? hostname
  const number = searchParams.get("port") ?? (port === "" ? "5432" : port)
  return host.startsWith("/") ? connect(`${host}/.s.PGSQL.${number}`) : connect(Number(number), host)
}

/** The same database at another address. */
export const atPort = (port: number, target: URL): string => {
  const parameters = new URLSearchParams(target.searchParams)
  parameters.delete("host")
  parameters.delete("port")
  const user = target.username === "" ? "" : `${target.username}:${target.password}@`
  return `postgres://${user}127.0.0.1:${port}${target.pathname}?${parameters}`
}

/** Reads what a client says: the texts of the statements it executes. */
class Reader {
  private readonly texts = new Map<string, string>()
  private rest = Buffer.alloc(0)
  private isStarted = false

  read(chunk: Buffer): ReadonlyArray<string> {
    this.rest = Buffer.concat([this.rest, chunk])
    const said: Array<string> = []
    for (;;) {
      // The first message has no letter.
      const head = this.isStarted ? 1 : 0
      if (this.rest.length < head + 4) return said
      const end = head + this.rest.readUInt32BE(head)
      if (this.rest.length < end) return said
      const letter = head === 0 ? "" : String.fromCharCode(this.rest[0] ?? 0)
      const [first = "", second = ""] = this.rest.toString("utf8", head + 4, end).split("\0", 2)
      // Parse: a name and the text. Bind: a portal and the name.
      if (letter === "P") this.texts.set(first, second)
      if (letter === "B") said.push((this.texts.get(second) ?? second).replace(/\s+/g, " ").trim())
      this.isStarted = true
      this.rest = this.rest.subarray(end)
    }
  }
}

/**
 * A wire open until the end of the test.
 *
 * @example
 * const wire = await Wire.open(onTestFinished, new URL(Database.url))
 * await Effect.runPromise(Layer.build(StoragePostgres.layer({ url: wire.url })).pipe(Effect.scoped))
 * assert.include(wire.trips.flatMap(({ statements }) => statements), "COMMIT")
 */
export const open = async (atEnd: AtEnd, target: URL) => {
  const trips: Array<Trip> = []
  const sockets = new Set<Socket>()
  let connections = 0
  let cut: { readonly side: Cut; left: number } | undefined

  /** The cut that this trip meets, if any. */
  const cutOf = (): Cut | undefined => {
    if (cut === undefined || cut.left-- > 0) return undefined
    const { side } = cut
    cut = undefined
    return side
  }

  const server = createServer((near) => {
    const connection = ++connections
    const far = toDatabase(target)
    const reader = new Reader()
    let trip: { readonly connection: number; readonly statements: Array<string> } | undefined
    let side: Cut | undefined
    near.on("data", (chunk: Buffer) => {
      if (trip === undefined) {
        trip = { connection, statements: [] }
        trips.push(trip)
        side = cutOf()
      }
      trip.statements.push(...reader.read(chunk))
      if (side === "packet") near.destroy()
      else far.write(chunk)
    })
    far.on("data", (chunk: Buffer) => {
      trip = undefined
      if (side === "answer") near.destroy()
      else near.write(chunk)
    })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(one)
      one
        .setNoDelay()
        .on("error", () => other.destroy())
        .on("close", () => {
          sockets.delete(one)
          other.destroy()
        })
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    url: atPort(port, target),
    trips: trips as ReadonlyArray<Trip>,
    /** Cuts the connection of the trip that follows after `skipped` others. */
    cutAfter: (skipped: number, side: Cut) => {
      cut = { side, left: skipped }
    },
    /** Takes back a cut that no trip has met; whether there was one. */
    isUncut: () => {
      const isLeft = cut !== undefined
      cut = undefined
      return isLeft
    }
  }
}

/** The transactions among trips: for each its trips, from BEGIN to its end. */
export const transactions = (trips: ReadonlyArray<Trip>): ReadonlyArray<ReadonlyArray<Trip>> => {
  const open = new Map<number, Array<Trip>>()
  const ended: Array<ReadonlyArray<Trip>> = []
  for (const trip of trips) {
    if (trip.statements.includes("BEGIN")) open.set(trip.connection, [])
    const transaction = open.get(trip.connection)
    if (transaction === undefined) continue
    transaction.push(trip)
    if (!trip.statements.some((statement) => statement === "COMMIT" || statement === "ROLLBACK")) continue
    ended.push(transaction)
    open.delete(trip.connection)
  }
  return ended
}
