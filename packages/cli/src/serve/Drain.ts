/** The orderly end of an HTTP server's connections: no request is cut before the caller's own time limit. */
import type * as http from "node:http"
import * as net from "node:net"
import * as Effect from "effect/Effect"

/** After a stop, an idle connection stays open for at least so long: its client may have a request on its way. */
const idleGraceMillis = 1_000

/** Runs behind the reads that are due: whatever has reached this machine by now is read before. */
export const afterReads = (run: () => void) => void setImmediate(() => setImmediate(run))

/**
 * Follows the connections and responses of a server until its stop.
 *
 *     stop ──► no new connections, and each response says `Connection: close`
 *          ──► a second later, as soon as no request is under way: idle connections close
 *          ──► no connection is left: drained
 *
 * While requests are under way, an idle connection stays: a proxy that reuses it gets a response with the header that ends
 * its use.
 */
export const make = (server: http.Server) => {
  const sockets = new Set<net.Socket>()
  const underWay = new Set<http.ServerResponse>()
  let isStopping = false
  let isGraceOver = false
  let isClosed = false
  let resolveDrained = () => {}

  /** A server that receives its connections from a parent does not count them. */
  const checkDrained = () => {
    if (isClosed && sockets.size === 0) resolveDrained()
  }
  const closeIdle = () => {
    if (underWay.size > 0) return
    server.closeIdleConnections()
    // Node counts a connection that never sent a byte as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  const closeIdleInTime = () => {
    if (isGraceOver && underWay.size === 0) afterReads(closeIdle)
  }

  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => {
      sockets.delete(socket)
      checkDrained()
    })
  })

  const announceClose = (response: http.ServerResponse) => {
    if (!response.headersSent) response.setHeader("connection", "close")
  }
  const follow = (response: http.ServerResponse) => {
    underWay.add(response)
    if (isStopping) announceClose(response)
    response.once("close", () => {
      underWay.delete(response)
      closeIdleInTime()
    })
  }

  const closed = Effect.callback<void>((resume) => {
    isStopping = true
    resolveDrained = () => resume(Effect.void)
    underWay.forEach(announceClose)
    // `http.Server.close` would close idle connections at once, with requests in them that were not read.
    afterReads(() =>
      net.Server.prototype.close.call(server, () => {
        isClosed = true
        checkDrained()
      })
    )
  })
  const grace = Effect.andThen(
    Effect.sleep(idleGraceMillis),
    Effect.sync(() => {
      isGraceOver = true
      closeIdleInTime()
    })
  )
  return {
    /** Called for each response, before its head is written. */
    follow,
    /** Begins the stop, and ends when no connection is left. */
    drained: Effect.raceFirst(closed, Effect.andThen(grace, Effect.never))
  }
}
