/** Claimed deliveries that wait for a slot of their endpoint, first come first served; each gets a slot, or the end of its line. */
import type { WorkspaceId } from "@limbeck/core/ids/Id"

/** An endpoint and the workspace that it belongs to. */
export interface EndpointRef {
  readonly id: string
  readonly workspace: WorkspaceId
}

/**
 * Called once: with a slot, or with null when the line ends; then the queued delivery must call `leave` once it is given
 * back.
 */
export type Turn<Slot> = (slot: Slot | null) => void

interface Line<Slot> {
  readonly workspace: WorkspaceId
  readonly turns: Array<Turn<Slot>>
}

export class Lines<Slot> {
  private readonly lines = new Map<string, Line<Slot>>()
  private readonly counts = new Map<WorkspaceId, number>()
  private held = 0

  /** Queued deliveries, and those whose line has ended but who have not left. */
  get size(): number {
    return this.held
  }

  readonly of = (endpointId: string): number => this.lines.get(endpointId)?.turns.length ?? 0
  /** As `size`, of one workspace. */
  readonly ofWorkspace = (workspace: WorkspaceId): number => this.counts.get(workspace) ?? 0

  endpoints(): ReadonlyArray<EndpointRef> {
    return [...this.lines].map(([id, { workspace }]) => ({ id, workspace }))
  }

  join({ id, workspace }: EndpointRef, turn: Turn<Slot>): void {
    const line = this.lines.get(id) ?? { workspace, turns: [] }
    line.turns.push(turn)
    this.lines.set(id, line)
    this.count(workspace, 1)
  }

  /** Gives a slot to the first, who has left with it. */
  call({ id, workspace }: EndpointRef, slot: Slot): void {
    const turns = this.lines.get(id)?.turns
    const turn = turns?.shift()
    if (turns?.length === 0) this.lines.delete(id)
    if (turn === undefined) return
    this.count(workspace, -1)
    turn(slot)
  }

  end(endpointId: string): void {
    const turns = this.lines.get(endpointId)?.turns ?? []
    this.lines.delete(endpointId)
    for (const turn of turns) turn(null)
  }

  leave(workspace: WorkspaceId): void {
    this.count(workspace, -1)
  }

  private count(workspace: WorkspaceId, by: 1 | -1): void {
    this.held += by
    const after = this.ofWorkspace(workspace) + by
    if (after === 0) this.counts.delete(workspace)
    else this.counts.set(workspace, after)
  }
}
