/** What a gateway cannot cost less than on Node: `node:http` on both sides, and nothing between. */
import { Agent, type RequestListener, request } from "node:http"

export const to = (target: string): RequestListener => {
  const agent = new Agent({ keepAlive: true })
  const { hostname: host, port } = new URL(target)
  return (incoming, outgoing) => {
    const { headers, method, url } = incoming
    const options = { agent, host, port, method, path: url, headers }
    const onward = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }
}
