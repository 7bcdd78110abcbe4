/** Every port of a storage adapter. A contract suite gets a layer of all ports. */

import { type Vitest, layer as withLayer } from "@effect/vitest"
import type { BillingPorts } from "@limbeck/billing/StoragePorts"
import type { ChatPorts } from "@limbeck/chat/StoragePorts"
import type { DistillPorts } from "@limbeck/distill/StoragePorts"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import type * as Layer from "effect/Layer"

export type AllPorts = WebhookPorts | BillingPorts | DistillPorts | ChatPorts

/** A layer of a whole storage; it may fail to be built in whatever way. */
export type StorageLayer = Layer.Layer<AllPorts, unknown>

/** Makes a suite. The clock is the real one, because adapters do real work; cases take every time as an argument. */
export const describePort =
  (port: string, cases: (it: Vitest.MethodsNonLive<AllPorts>) => void) =>
  (name: string, layer: StorageLayer): void =>
    withLayer(layer, { timeout: "5 minutes", excludeTestServices: true })(`${port} (${name})`, cases)
