/** What a storage adapter provides for the webhook engine. */
import type { CorePorts } from "@limbeck/core/storage/StoragePorts"
import type { DeliveryStore } from "./delivery/DeliveryStore.ts"

export type WebhookPorts = CorePorts | DeliveryStore
