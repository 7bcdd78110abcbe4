import { createServer } from "node:http"
import { Limbeck, memory, postgres } from "limbeck"

const { DATABASE_URL: url, PORT = "3000" } = process.env
const storage = url === undefined ? memory : postgres({ url })
const limbeck = await Limbeck.make({ storage, settings: { publicUrl: `http://127.0.0.1:${PORT}/limbeck` } })

const server = createServer((request, response) => {
  if (!request.url?.startsWith("/limbeck/")) return response.end("Your own application\n")
  request.url = request.url.slice("/limbeck".length)
  limbeck.node(request, response)
}).listen(Number(PORT), "127.0.0.1", () => process.stdout.write(`${JSON.stringify(limbeck.bootstrapped)}\n`))
process.once("SIGTERM", () => server.close(() => limbeck.close()))
