/** Due deliveries of one lane, by endpoint: a backlog of one endpoint hides no delivery of another. */
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import { fromKey } from "@limbeck/core/partition/Partition"
import type { ClaimOptions, Rooms } from "@limbeck/webhooks/delivery/DeliveryStore"
import { DueIndex } from "../database/Due.ts"
import type { UndoLog } from "../database/MemoryDatabase.ts"
import { Family } from "../database/Table.ts"

export class DueLane {
  private readonly byEndpoint = new Family(() => new DueIndex())
  /** Endpoints by their first due delivery: a large backlog costs no more than a small one. */
  private readonly endpoints = new DueIndex()

  get nextAt(): number | null {
    return this.endpoints.nextAt
  }

  move(undoLog: UndoLog, endpoint: string, key: string, before: number | null, after: number | null): void {
    const due = this.byEndpoint.of(endpoint)
    const first = due.nextAt
    due.move(undoLog, key, before, after)
    this.endpoints.move(undoLog, endpoint, first, due.nextAt)
  }

  /** Of the endpoints whose work has waited longest comes everything that can be among the `limit` oldest. */
  upTo({ except = [], limit, many, now, perEndpointMax = limit, rooms, single = [] }: ClaimOptions): Array<string> {
    const passedOver = new Set(except)
    const maxima = new Map(many?.endpoints.map((id) => [id, many.max]))
    for (const id of single) maxima.set(id, 1)
    const idOf = (endpoint: string) => endpoint.slice(endpoint.lastIndexOf("\n") + 1)
    const places = new Places(rooms ?? { of: new Map(), others: limit })
    return this.endpoints
      .upTo(now, limit, (endpoint) => !passedOver.has(idOf(endpoint)) && places.take(endpoint))
      .flatMap((endpoint) => {
        const max = Math.min(limit, maxima.get(idOf(endpoint)) ?? perEndpointMax)
        return this.byEndpoint.of(endpoint).upTo(now, max)
      })
  }
}

/** The remaining room of each workspace. Keys begin with the partition's key. */
export class Places {
  private readonly left: Map<WorkspaceId, number>
  private readonly others: number
  constructor({ of, others }: Rooms) {
    this.left = new Map(of)
    this.others = others
  }

  /** Whether the workspace of the key had a place left. */
  take(key: string): boolean {
    const { workspace } = fromKey(key.slice(0, key.indexOf("\n")))
    const left = this.left.get(workspace) ?? this.others
    this.left.set(workspace, left - 1)
    return left > 0
  }
}
