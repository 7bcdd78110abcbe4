/**
 * Copies of calls that wait for somebody to be asked, in lanes that do not wait for each other. In each lane workspaces take turns, and
 * none has more than its share of the slots, or of the copies that wait. A copy without room is dropped and counted.
 *
 * Invariant: `copies` and `bytes` count the copies in the lanes and those that are performed, each once.
 */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { type Pool, Pools } from "@limbeck/core/pools/Pools"
import { Shares } from "@limbeck/core/pools/Shares"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"

export interface ShadowFigures {
  readonly waiting: number
  /** Copies dropped since the process began. */
  readonly dropped: number
}

export const make = Effect.fnUntraced(function* <Lane extends string, Copy extends { readonly lane: Lane }>(options: {
  /** The pool of each lane. */
  readonly pools: Readonly<Record<Lane, Pool>>
  readonly partitionOf: (copy: Copy) => Partition
  /** In bytes. */
  readonly sizeOf: (copy: Copy) => number
  readonly perform: (copy: Copy) => Effect.Effect<void>
}) {
  const { partitionOf, perform, pools, sizeOf } = options
  const slots = new Map<Lane, FairSlots.FairSlots>()
  const copies = new Shares(Pools.shadowCopies.size)
  const bytes = new Shares(Pools.shadowCopyBytes.size)
  const fork = yield* FiberSet.makeRuntime<never>()
  let dropped = 0

  const slotsOf = (lane: Lane): FairSlots.FairSlots => {
    const known = slots.get(lane)
    if (known !== undefined) return known
    const made = FairSlots.make(pools[lane])
    slots.set(lane, made)
    return made
  }

  const offer = (copy: Copy) => {
    const { workspace } = partitionOf(copy)
    const size = sizeOf(copy)
    if (!copies.fits(workspace) || !bytes.fits(workspace, size)) {
      dropped++
      return
    }
    copies.take(workspace)
    bytes.take(workspace, size)
    const performed = slotsOf(copy.lane)
      .run(workspace, perform(copy))
      .pipe(
        Effect.catchCause((cause) => Effect.logError("shadow_student_defect", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            copies.give(workspace)
            bytes.give(workspace, size)
          })
        )
      )
    fork(performed)
  }

  return { offer, figures: Effect.sync((): ShadowFigures => ({ waiting: copies.taken, dropped })) }
})
