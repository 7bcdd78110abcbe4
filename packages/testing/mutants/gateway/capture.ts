/** Records of calls, from the proxy through the journal to storage. */
import type { Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "the end of an answer does not wait for its record",
    file: "packages/gateway/src/capture/Capture.ts",
    edits: [
      {
        find: 'Effect.as(settle("succeeded"), chunks)',
        replace: 'Effect.as(Effect.forkDetach(settle("succeeded")), chunks)'
      }
    ],
    tests: ["--project", "gateway", "Capture"]
  },
  {
    name: "a client that left is none",
    file: "packages/gateway/src/capture/Capture.ts",
    edits: [{ find: 'settle("aborted")', replace: "Effect.void" }],
    tests: ["--project", "gateway", "Capture"]
  },
  {
    name: "a failure of storage is a refusal of the call",
    file: "packages/gateway/src/capture/Shipper.ts",
    edits: [{ find: "onFailure: () => undefined,", replace: "onFailure: () => cause," }],
    tests: ["--project", "gateway", "Recorders"]
  },
  {
    name: "a frame is believed without its checksum",
    file: "packages/node/src/gateway/journal/Frames.ts",
    edits: [{ find: "crc32(payload) === view.getUint32(4)", replace: "crc32(payload) > -1" }],
    tests: ["--project", "node", "FileJournal"]
  },
  {
    name: "a segment is removed before all of it is shipped",
    file: "packages/node/src/gateway/journal/JournalFiles.ts",
    edits: [{ find: "if (segment.waiting > 0) return\n", replace: "" }],
    tests: ["--project", "node", "FileJournal"]
  }
]
