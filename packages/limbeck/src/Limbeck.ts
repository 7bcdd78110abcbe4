/** The library for a host that is no Effect program: make it, mount it, publish through it, close it. */
import * as Server from "@limbeck/server/Server"
import * as Assembly from "./Assembly.ts"
import * as Host from "./Host.ts"

export interface LimbeckOptions extends Assembly.AssemblyOptions, Host.HostOptions {}
export type Limbeck = Host.Host

export const make = (options: LimbeckOptions): Promise<Limbeck> =>
  Host.open(Assembly.layer(options), Server.make, options)
