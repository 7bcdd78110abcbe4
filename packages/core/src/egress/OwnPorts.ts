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
    /** `holderOf` is asked at each connection from now on, so it must be quick. */
    readonly register: (holderOf: HolderOf) => void
  }
>()("@limbeck/core/egress/OwnPorts") {}

/** `known`: what the host knows of its own ports. */
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
