/** A bare pass-through in so many processes on one port. Started by `Child`; answers what CPU each process has spent. */
import cluster from "node:cluster"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { report } from "./Child.ts"
import * as PassThrough from "./PassThrough.ts"
import { crewCpuMicros } from "./PostgresUsage.ts"

const [target = "", processes] = process.argv.slice(2)

const reportAt = ({ port }: Pick<AddressInfo, "port">): void =>
  report(`http://127.0.0.1:${port}`, async () => [
    ...(await crewCpuMicros(process.pid, fileURLToPath(import.meta.url)))
  ])

if (cluster.isPrimary && Number(processes) > 1) {
  const workers = Array.from({ length: Number(processes) }, () => cluster.fork())
  const addresses = await Promise.all(workers.map((worker) => once(worker, "listening")))
  reportAt(addresses[0]?.[0])
  process.once("SIGTERM", () => cluster.disconnect(() => process.exit()))
} else {
  const server = createServer(PassThrough.to(target))
  // Of one port, whichever is first: the primary has it for all.
  server.listen(0, "127.0.0.1", () => cluster.isPrimary && reportAt(server.address() as AddressInfo))
}
