/** What the last attempt has shown of each endpoint, for a bounded number of endpoints. */
import type { Reputation, SlotBounds } from "./SlotRules.ts"

/** A set that drops its oldest member when it exceeds its maximum. */
class BoundedSet {
  private readonly ids = new Set<string>()
  private readonly max: number
  constructor(max: number) {
    this.max = max
  }
  readonly has = (id: string) => this.ids.has(id)
  readonly all = () => [...this.ids]
  readonly delete = (id: string) => this.ids.delete(id)

  add(id: string): void {
    this.ids.add(id)
    const [oldest] = this.ids
    if (oldest !== undefined && this.ids.size > this.max) this.ids.delete(oldest)
  }
}

const standings = ["swift", "silent", "responding"] as const

export class Standings {
  private readonly sets: { readonly [S in Exclude<Reputation, "stranger">]: BoundedSet }
  constructor(bounds: Pick<SlotBounds, "silentMax" | "respondingMax" | "swiftMax">) {
    this.sets = {
      silent: new BoundedSet(bounds.silentMax),
      responding: new BoundedSet(bounds.respondingMax),
      swift: new BoundedSet(bounds.swiftMax)
    }
  }

  readonly silent = () => this.sets.silent.all()

  of(endpointId: string): Reputation {
    for (const standing of standings) if (this.sets[standing].has(endpointId)) return standing
    return "stranger"
  }

  note(endpointId: string, standing: Exclude<Reputation, "stranger">): void {
    for (const other of standings) if (other !== standing) this.sets[other].delete(endpointId)
    this.sets[standing].add(endpointId)
  }
}
