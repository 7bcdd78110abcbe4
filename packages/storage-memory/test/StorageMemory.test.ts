import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { suites } from "@limbeck/testing/contracts/all"

suites("memory", StorageMemory.layer)
