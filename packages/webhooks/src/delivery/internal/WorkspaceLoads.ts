/** The attempts of each workspace, and which workspaces wait for room in their share. */
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Lane } from "../Delivery.ts"
import type { Rooms } from "../DeliveryStore.ts"
import * as Rules from "./SlotRules.ts"

export class WorkspaceLoads {
  private readonly bounds: Rules.SlotBounds
  private readonly loads = new Map<WorkspaceId, Rules.Load>()
  /** Those that were refused a slot or a claim, and have not been called since. */
  private readonly waiting = new Set<WorkspaceId>()

  constructor(bounds: Rules.SlotBounds) {
    this.bounds = bounds
  }

  readonly of = (workspace: WorkspaceId): Rules.Load => this.loads.get(workspace) ?? Rules.noLoad

  set(workspace: WorkspaceId, load: Rules.Load): void {
    if (load.quick.all + load.slow.all === 0) this.loads.delete(workspace)
    else this.loads.set(workspace, load)
  }

  /** What each workspace may have by a claim, while the process has this load. */
  rooms(load: Rules.Load, lane: Lane): Rooms {
    const rooms = new Map<WorkspaceId, number>()
    for (const [workspace, mine] of this.loads) {
      const room = Rules.claimRoom(this.bounds, load, mine, lane)
      if (room === 0) this.waiting.add(workspace)
      rooms.set(workspace, room)
    }
    return { others: Rules.room(this.bounds, load, Rules.noLoad, lane), of: rooms }
  }

  /** Whether a claim finds nothing of the workspace for want of room. */
  isFull(load: Rules.Load, workspace: WorkspaceId, lane: Lane): boolean {
    return Rules.claimRoom(this.bounds, load, this.of(workspace), lane) === 0
  }

  /** The workspace will be among those that `takeReady` returns when it has room again. */
  wait(workspace: WorkspaceId): void {
    this.waiting.add(workspace)
  }

  /** Whether some workspace waits. */
  get areWaiting(): boolean {
    return this.waiting.size > 0
  }

  /** Workspaces that waited and have room for a claim of each lane now. */
  takeReady(load: Rules.Load): ReadonlyArray<WorkspaceId> {
    const called = [...this.waiting].filter((workspace) =>
      Rules.lanes.every((lane) => !this.isFull(load, workspace, lane))
    )
    for (const workspace of called) this.waiting.delete(workspace)
    return called
  }
}
