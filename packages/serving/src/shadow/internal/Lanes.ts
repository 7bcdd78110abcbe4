/**
 * Copies of calls that wait for somebody to be asked, in lanes that do not wait for each other. In each lane workspaces take turns, and
 * none has more than its share of the slots, or of the copies that wait. So do the deployments of a workspace, among its slots and
 * copies: a busy alias leaves the others their verifications. A copy without room is dropped and counted.
 *
 * Invariant: `copies`, `bytes` and the shares of deployments count the copies in the lanes and those that are performed, each once.
 */

import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { type Pool, Pools } from "@limbeck/core/pools/Pools"
import { Shares, sizeAlone } from "@limbeck/core/pools/Shares"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"

export interface ShadowFigures {
  readonly waiting: number
  /** Copies dropped since the process began. */
  readonly dropped: number
}

/** The copies of each key, and their bytes. */
interface Rooms<Key extends string> {
  readonly copies: Shares<Key>
  readonly bytes: Shares<Key>
}

const copiesMax = Pools.shadowCopies.size
const bytesMax = Pools.shadowCopyBytes.size

const roomsOf = <Key extends string>(copies: number, bytes: number): Rooms<Key> => ({
  copies: new Shares(copies),
  bytes: new Shares(bytes)
})

const fits = <Key extends string>({ bytes, copies }: Rooms<Key>, key: Key, size: number): boolean =>
  copies.fits(key) && bytes.fits(key, size)

const take = <Key extends string>({ bytes, copies }: Rooms<Key>, key: Key, size: number): void => {
  copies.take(key)
  bytes.take(key, size)
}

const giveBack = <Key extends string>({ bytes, copies }: Rooms<Key>, key: Key, size: number): void => {
  copies.give(key)
  bytes.give(key, size)
}

export const make = Effect.fnUntraced(function* <Lane extends string, Copy extends { readonly lane: Lane }>(options: {
  /** The pool of each lane. */
  readonly pools: Readonly<Record<Lane, Pool>>
  readonly partitionOf: (copy: Copy) => Partition
  /** The id of the deployment. */
  readonly deploymentOf: (copy: Copy) => string
  /** In bytes. */
  readonly sizeOf: (copy: Copy) => number
  readonly perform: (copy: Copy) => Effect.Effect<void>
}) {
  const { deploymentOf, partitionOf, perform, pools, sizeOf } = options
  const slots = new Map<Lane, FairSlots.FairSlots>()
  const rooms = roomsOf<WorkspaceId>(copiesMax, bytesMax)
  /** Of each workspace with copies, by deployment: out of what a workspace alone may have. */
  const own = new Map<WorkspaceId, Rooms<string>>()
  const fork = yield* FiberSet.makeRuntime<never>()
  let dropped = 0

  const slotsOf = (lane: Lane): FairSlots.FairSlots => {
    const known = slots.get(lane)
    if (known !== undefined) return known
    const made = FairSlots.make(pools[lane])
    slots.set(lane, made)
    return made
  }

  const give = (workspace: WorkspaceId, deployment: string, size: number) => {
    giveBack(rooms, workspace, size)
    const room = own.get(workspace)
    if (room === undefined) return
    giveBack(room, deployment, size)
    if (room.copies.taken === 0) own.delete(workspace)
  }

  const offer = (copy: Copy) => {
    const { workspace } = partitionOf(copy)
    const deployment = deploymentOf(copy)
    const size = sizeOf(copy)
    const room = own.get(workspace) ?? roomsOf(sizeAlone(copiesMax), sizeAlone(bytesMax))
    if (!fits(rooms, workspace, size) || !fits(room, deployment, size)) {
      dropped++
      return
    }
    take(rooms, workspace, size)
    own.set(workspace, room)
    take(room, deployment, size)
    const performed = slotsOf(copy.lane)
      .run(workspace, perform(copy), deployment)
      .pipe(
        Effect.catchCause((cause) => Effect.logError("shadow_student_defect", cause)),
        Effect.ensuring(Effect.sync(() => give(workspace, deployment, size)))
      )
    fork(performed)
  }

  return { offer, figures: Effect.sync((): ShadowFigures => ({ waiting: rooms.copies.taken, dropped })) }
})
