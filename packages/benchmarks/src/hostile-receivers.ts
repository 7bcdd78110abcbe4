/** A thousand receivers that mean no good, each on a port of its own, in one process. Started by `Child`. */
import { setPriority } from "node:os"
import { authorities, behaviours } from "@limbeck/testing/hostile/Behaviours"
import * as Hosting from "@limbeck/testing/hostile/Hosting"
import { report } from "./Child.ts"

/** What this process answers to any command. */
export interface HostileReceivers {
  readonly urls: ReadonlyArray<string>
  /** Certificate authorities (PEM) that the sender must trust. */
  readonly authorities: string
}

const [count = "0"] = process.argv.slice(2)

// Elsewhere these have machines of their own: here they get what the engine leaves.
setPriority(19)

const hosted = await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    // The list is not empty, so the remainder is an index.
    Hosting.host(behaviours[index % behaviours.length]!)
  )
)
const answer: HostileReceivers = { urls: hosted.map(({ url }) => url), authorities }

report("hostile", () => answer)
