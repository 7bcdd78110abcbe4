/** The library for a host that is no Effect program: make it, mount it, publish through it, close it. */
import * as Server from "@limbeck/server/Server"
import * as Host from "@limbeck/webhooks-host/Host"
import * as Assembly from "./Assembly.ts"

export interface LimbeckOptions extends Assembly.AssemblyOptions, Host.HostOptions {}
export type Limbeck = Host.Host

/**
 * Starts services and workers in this process, and migrates the storage if it has to. Rejects, and leaves nothing running, with
 * `InvalidSetting` or `InvalidEventType`, which name what cannot be, or with `StorageError` when storage does not answer.
 */
export const make = (options: LimbeckOptions): Promise<Limbeck> =>
  Host.open(Assembly.layer(options), Server.make, options)
