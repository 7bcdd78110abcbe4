/** Claimed deliveries that wait for a slot of their endpoint, first come first served; each is given one, or told that the line is over. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export class Lines<Slot> {
  private readonly lines = new Map<string, Array<Deferred.Deferred<Slot | null>>>()
  private held = 0

  /** Those that wait, and those that have been told and not yet left. */
  get size(): number {
    return this.held
  }

  readonly of = (endpointId: string): number => this.lines.get(endpointId)?.length ?? 0
  readonly endpoints = (): ReadonlyArray<string> => [...this.lines.keys()]

  /** Waits for the turn. Null: the line is over, and who is told so must `leave` when it has put things right. */
  join(endpointId: string): Effect.Effect<Slot | null> {
    const turn = Deferred.makeUnsafe<Slot | null>()
    const line = this.lines.get(endpointId) ?? []
    line.push(turn)
    this.lines.set(endpointId, line)
    this.held++
    return Deferred.await(turn)
  }

  /** Gives a slot to the first, who has left with it. */
  call(endpointId: string, slot: Slot): void {
    const line = this.lines.get(endpointId)
    const turn = line?.shift()
    if (line?.length === 0) this.lines.delete(endpointId)
    if (turn === undefined) return
    this.held--
    Deferred.doneUnsafe(turn, Effect.succeed(slot))
  }

  end(endpointId: string): void {
    const line = this.lines.get(endpointId) ?? []
    this.lines.delete(endpointId)
    for (const turn of line) Deferred.doneUnsafe(turn, Effect.succeed(null))
  }

  leave(): void {
    this.held--
  }
}
