/** The objects of a request stay young although services are allocated at the same site. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const program = fileURLToPath(new URL("fixtures/ServicesOfRequests.ts", import.meta.url))
const pretenuring = fileURLToPath(new URL("../src/Pretenuring.ts", import.meta.url))
/** V8 decides once young objects have all the room that they may have. */
const flags = ["--conditions=@limbeck/source", "--expose-gc", "--max-semi-space-size=1"]

const oldBytes = async (...more: ReadonlyArray<string>): Promise<number> =>
  Number((await promisify(execFile)(process.execPath, [...flags, ...more, program])).stdout)

it("services of requests become old without it, and none does with it (P435)", async () => {
  const [without, imported] = await Promise.all([oldBytes(), oldBytes("--import", pretenuring)])
  expect(without).toBeGreaterThan(1_000_000)
  expect(imported).toBeLessThan(1_000_000)
})
