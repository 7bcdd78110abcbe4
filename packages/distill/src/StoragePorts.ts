/** The storage ports for datasets, runs, and captured calls. */
import type { CapturePorts } from "@limbeck/capture/StoragePorts"
import type { RowStore } from "./dataset/RowStore.ts"
import type { RunRecords } from "./run/RunRecords.ts"

export type DistillPorts = CapturePorts | RowStore | RunRecords
