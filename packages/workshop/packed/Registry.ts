/** Serves packs to npm like a registry, so that they are installed by name as after a release. */
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import type { Manifest, Pack } from "./Release.ts"

export interface Registry {
  /** Holds packages of the scope @limbeck only. */
  readonly url: string
  readonly close: () => void
}

export const serve = async (
  folder: string,
  packs: ReadonlyArray<Pack>,
  manifestOf: (pack: Pack) => Manifest
): Promise<Registry> => {
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? "").slice(1)
    const pack = packs.find(({ filename, name }) => asked === name || asked === filename)
    if (pack === undefined) return response.writeHead(404).end("{}")
    if (asked === pack.filename) return fs.createReadStream(path.join(folder, pack.filename)).pipe(response)
    const dist = { tarball: `http://${request.headers.host}/${pack.filename}`, integrity: pack.integrity }
    const { name, version } = pack
    const versions = { [version]: { ...manifestOf(pack), dist } }
    return response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // It listens on a port.
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}
