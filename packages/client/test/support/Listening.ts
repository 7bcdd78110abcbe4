/** Real node:http servers on this machine, and raw requests to them. */
import { Agent, createServer, type RequestListener, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { onTestFinished } from "vitest"

/** Listens until the test is over. */
export const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  // A TCP listener has an address of this form.
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hook` }
}

export interface AnsweredRequest {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends the chunks one by one; several make a chunked request, without a length. */
export const send = (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> },
  ...chunks: ReadonlyArray<string | Uint8Array>
): Promise<AnsweredRequest> =>
  new Promise((resolve, reject) => {
    const { headers = {}, method = "POST" } = options
    const agent = new Agent({ keepAlive: true })
    const outgoing = request(url, { method, headers, agent }, (response) => {
      response.setEncoding("utf8")
      let text = ""
      response.on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () => {
        agent.destroy()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    outgoing.on("error", reject)
    for (const chunk of chunks.slice(0, -1)) outgoing.write(chunk)
    outgoing.end(chunks.at(-1))
  })

/** Writes this and hangs up. */
export const breakOff = (port: number, text: string): Promise<void> =>
  new Promise((closed) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text, () => socket.destroy()))
    socket.on("close", () => closed()).on("error", () => closed())
  })
