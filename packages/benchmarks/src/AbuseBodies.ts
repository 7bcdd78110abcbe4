/**
 * Bodies without a token: forty of 15 MiB that lack their last byte, and two hundred that stall after the first. A connection
 * that the server closes comes back after a second.
 */
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { Family, Target } from "./Abuse.ts"

const large = { label: "15 MiB", path: "/v1/proxy/chat/completions", length: 15 * 2 ** 20 + 1, sent: 15 * 2 ** 20 }
const stalled = { label: "stalled", path: "/v1/distill/datasets", length: 1_000, sent: 1 }
type Body = typeof large

const piece = Buffer.alloc(64 * 1024, "x")

const headOf = ({ length, path }: Body): string =>
  `POST ${path} HTTP/1.1\r\nHost: limbeck\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

/** One connection, until the server closes it or the abuse ends. */
const hold = (body: Body, { answers, isOver, origin }: Target): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    let answer = "no answer"
    let left = body.sent
    const send = (): void => {
      if (left <= 0 || socket.destroyed) return
      const part = piece.subarray(0, left)
      left -= part.length
      socket.write(part, send)
    }
    const cutAtTheEnd = async () => {
      while (!isOver() && !socket.destroyed) await sleep(50)
      if (!socket.destroyed) answer = `still open, ${answer}`
      socket.destroy()
    }
    socket.on("error", () => {})
    socket.on("data", (data: Buffer) => {
      answer = /^HTTP\/1.1 (\d+)/.exec(data.toString("latin1"))?.[1] ?? answer
    })
    socket.once("close", () => {
      answers.add(`${body.label}: ${answer}`)
      resolve()
    })
    socket.write(headOf(body), send)
    void cutAtTheEnd()
  })

export const bodies: Family = async (target) => {
  const again = async (body: Body) => {
    while (!target.isOver()) {
      await hold(body, target)
      for (let waited = 0; waited < 1_000 && !target.isOver(); waited += 100) await sleep(100)
    }
  }
  const times = (count: number, body: Body) => Array.from({ length: count }, () => again(body))
  await Promise.all([...times(40, large), ...times(200, stalled)])
}
