/**
 * The ports of this machine on which this installation listens. Services register the ports that they use; the egress policy
 * asks before each connection to this machine.
 */
import * as Context from "effect/Context"
import type { EgressPolicy, PortHolder } from "./EgressPolicy.ts"

type HolderOf = (port: number) => PortHolder | undefined

export class OwnPorts extends Context.Service<
  OwnPorts,
  {
    readonly holderOf: HolderOf
    /** `holderOf` is called at each connection from now on, so it must be fast. */
    readonly register: (holderOf: HolderOf) => void
  }
>()("@limbeck/core/egress/OwnPorts") {}

/** `known`: the host's own ports. */
export const make = (known: EgressPolicy["portHolder"]): OwnPorts["Service"] => {
  const registered: Array<HolderOf> = known === undefined ? [] : [known]
  return OwnPorts.of({
    holderOf: (port) => {
      for (const holderOf of registered) {
        const holder = holderOf(port)
        if (holder !== undefined) return holder
      }
      return undefined
    },
    register: (holderOf) => void registered.push(holderOf)
  })
}
