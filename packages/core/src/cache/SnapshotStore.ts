/** Keeps the contents of caches on the disk of a server, for the next start. An assembly has one, or none. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface SnapshotStore {
  /** The last saved text under this name; null if missing or unreadable. */
  readonly load: (name: string) => Effect.Effect<string | null>
  /** Replaces the text as a whole. Returns false if that failed: the earlier text stays then, and the failure is logged. */
  readonly save: (name: string, text: string) => Effect.Effect<boolean>
}

export class Snapshots extends Context.Reference<SnapshotStore | null>("@limbeck/core/cache/Snapshots", {
  defaultValue: () => null
}) {}
