/** A kind of fault: its requirements and its effect. */
import type { AtEnd } from "@limbeck/testing/AtEnd"
import type { Environment } from "../../cli/test/Server.ts"
import type { World } from "./World.ts"

export interface Fault {
  /** As the table names it. */
  readonly title: string
  /** Why it cannot be made on this machine. */
  readonly impossible?: () => Promise<string | undefined>
  /** Where Postgres keeps its data, if not in the campaign's own folder. */
  readonly dataDir?: (atEnd: AtEnd, folder: string) => Promise<string>
  /** Runs only by name, because it takes many minutes. */
  readonly onlyByName?: boolean
  /** More of the servers' environment. */
  readonly environment?: (folder: string) => Environment
  /** Receivers take the servers' clock for wrong. */
  readonly shiftsClock?: boolean
  /** Maximum calls whose only copy the fault destroys; none by default. */
  readonly destroys?: number
  /** Breaks something under load, and mends it. */
  readonly run: (world: World) => Promise<void>
}
