/** Claimed deliveries that wait for a slot of their endpoint, first come first served; each is given one, or told that the line is over. */

/** Is called once: with a slot, or with null when the line is over; then who stood in it must `leave` when things are put right. */
export type Turn<Slot> = (slot: Slot | null) => void

export class Lines<Slot> {
  private readonly lines = new Map<string, Array<Turn<Slot>>>()
  private held = 0

  /** Those that wait, and those that have been told and not yet left. */
  get size(): number {
    return this.held
  }

  readonly of = (endpointId: string): number => this.lines.get(endpointId)?.length ?? 0
  readonly endpoints = (): ReadonlyArray<string> => [...this.lines.keys()]

  join(endpointId: string, turn: Turn<Slot>): void {
    const line = this.lines.get(endpointId) ?? []
    line.push(turn)
    this.lines.set(endpointId, line)
    this.held++
  }

  /** Gives a slot to the first, who has left with it. */
  call(endpointId: string, slot: Slot): void {
    const line = this.lines.get(endpointId)
    const turn = line?.shift()
    if (line?.length === 0) this.lines.delete(endpointId)
    if (turn === undefined) return
    this.held--
    turn(slot)
  }

  end(endpointId: string): void {
    const line = this.lines.get(endpointId) ?? []
    this.lines.delete(endpointId)
    for (const turn of line) turn(null)
  }

  leave(): void {
    this.held--
  }
}
