/** A server with something of everything, named by the texts of a test. */
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { type Certificate, selfSigned } from "@limbeck/testing/fixtures/Certificate"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Servers from "../Server.ts"
import { seed } from "./Seed.ts"

/** A receiver that fails with a text that would be a script; whoever reads from it gets the text. */
const failing = async (atEnd: AtEnd, certificate: Certificate, answered: string): Promise<string> => {
  const receiver = createServer(certificate, (request, response) => {
    request.resume()
    const status = request.method === "GET" ? 200 : 500
    response.writeHead(status, { "content-type": "text/html", "x-said": encodeURIComponent(answered) }).end(answered)
  })
  await once(receiver.listen(0, "127.0.0.1"), "listening")
  atEnd(() => {
    receiver.close()
    receiver.closeAllConnections()
  })
  return `https://127.0.0.1:${(receiver.address() as AddressInfo).port}` // It listens on a port.
}

/** `answered`: what the receiver of its webhooks says. */
export const seededServer = async (atEnd: AtEnd, texts: ReadonlyArray<string>, answered: string) => {
  const models = new Models()
  await models.open()
  atEnd(() => models.close())
  const certificate = selfSigned("127.0.0.1")
  const NODE_EXTRA_CA_CERTS = `${await temporaryFolder(atEnd)}/authority.pem`
  await writeFile(NODE_EXTRA_CA_CERTS, certificate.cert)
  const environment = { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8", NODE_EXTRA_CA_CERTS }
  const server = await new Servers.Server(atEnd, environment).start()
  return { server, seeded: await seed(server.origin, models, await failing(atEnd, certificate, answered), texts) }
}
