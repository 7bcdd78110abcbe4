/** What a storage adapter provides for datasets and runs, and for the calls that they are made of. */
import type { CapturePorts } from "@limbeck/capture/StoragePorts"
import type { RowStore } from "./dataset/RowStore.ts"
import type { RunRecords } from "./run/RunRecords.ts"

export type DistillPorts = CapturePorts | RowStore | RunRecords
