/** What a storage adapter provides for sources and captured calls. */
import type { CorePorts } from "@limbeck/core/storage/StoragePorts"
import type { CallStore } from "./call/CallStore.ts"

export type CapturePorts = CorePorts | CallStore
