/** Records of calls, from the proxy through the journal to storage. */
import type { Mutant } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "each step over a stored text searches all of the text",
    file: "packages/capture/src/call/StoredText.ts",
    edits: [{ find: "fit = count.fitIn(piece)", replace: 'fit = text.includes("\\0") ? 0 : count.fitIn(piece)' }],
    tests: ["--project", "capture", "StoredText"]
  },
  {
    name: "a long stream is read in one step",
    file: "packages/capture/src/call/internal/Assembler.ts",
    edits: [{ find: "stepLength = Turns.turnCost / 4", replace: "stepLength = 2 ** 40 + Turns.turnCost" }],
    tests: ["--project", "capture", "Assembler"]
  },
  {
    name: "an event of a stream is parsed however many members it has",
    file: "packages/capture/src/call/stream/internal/ServerSentEvents.ts",
    edits: [
      {
        find: "return (yield* JsonShape.excessSteps(text, { members: eventMembersMax })) !== undefined",
        replace: "return false"
      }
    ],
    tests: ["--project", "capture", "Assembler"]
  },
  {
    name: "each chunk of a stream is compared with all empty lines before it",
    file: "packages/capture/src/tape/internal/Tape.ts",
    edits: [{ find: "while (isBreak(byte) && left > 0)", replace: "while (isBreak(byte))" }],
    tests: ["--project", "capture", "Capture"]
  },
  {
    name: "what belongs to a request is made among old objects",
    file: "packages/node/src/Pretenuring.ts",
    edits: [{ find: 'setFlagsFromString("--no-', replace: 'setFlagsFromString("--' }],
    tests: ["--project", "node", "Pretenuring"]
  },
  {
    name: "the end of an answer does not wait for its record",
    file: "packages/capture/src/tape/Capture.ts",
    edits: [
      {
        find: 'return isWhole ? settle(call, "succeeded")',
        replace: 'return isWhole ? Effect.asVoid(Effect.forkDetach(settle(call, "succeeded")))'
      }
    ],
    tests: ["--project", "capture", "Capture"]
  },
  {
    name: "a piece of an answer goes on before what is due is done",
    file: "packages/server/src/http/internal/NodeFlow.ts",
    edits: [
      {
        find: "Effect.andThen(portion.first, pour(flow, response, portion))",
        replace: "Effect.andThen(pour(flow, response, portion), portion.first)"
      }
    ],
    tests: ["--project", "server", "flows"]
  },
  {
    name: "an answer is taken whole, however slow its client is",
    file: "packages/server/src/http/internal/NodeFlow.ts",
    edits: [
      {
        find: "if (response.write(joinPieces(portion.chunks))) return",
        replace: "if (response.write(joinPieces(portion.chunks)) !== undefined) return"
      }
    ],
    tests: ["--project", "server", "flows"]
  },
  {
    name: "a client that left is none",
    file: "packages/capture/src/tape/Capture.ts",
    edits: [{ find: 'settle(call, "aborted")', replace: "Effect.void" }],
    tests: ["--project", "capture", "Capture"]
  },
  {
    name: "a failure of storage is a refusal of the call",
    file: "packages/capture/src/journal/internal/Shipper.ts",
    edits: [{ find: "if (isOfRecords(cause)) return", replace: "if (isOfRecords(cause) || attempt > 4) return" }],
    tests: ["--project", "capture", "Recorders"]
  },
  {
    name: "a frame is believed without its checksum",
    file: "packages/node/src/capture/journal/internal/Frames.ts",
    edits: [{ find: "crc32(payload) === bytes.readUInt32BE(at + 16)", replace: "crc32(payload) > -1" }],
    tests: ["--project", "node", "FileJournal"]
  },
  {
    name: "damage in a file of the journal ends it",
    file: "packages/node/src/capture/journal/internal/Frames.ts",
    edits: [{ find: "    at = bytes.indexOf(marker, at + 1)\n", replace: "    at = -1\n" }],
    tests: ["--project", "node", "FileJournal"]
  },
  {
    name: "a segment is removed before all of it is shipped",
    file: "packages/node/src/capture/journal/internal/JournalFiles.ts",
    edits: [{ find: "if (segment.waiting > 0) return\n", replace: "" }],
    tests: ["--project", "node", "FileJournal"]
  },
  {
    name: "chunks that append something else, taken for a run that adds to one text",
    file: "packages/capture/src/call/stream/internal/AlikeChunks.ts",
    edits: [{ find: "Object.entries(delta).every(repeats)", replace: "Object.entries(delta).length > 0" }],
    tests: ["--project", "capture", "Assembler"]
  },
  {
    name: "a chunk of a run whose content has an escape, taken as it stands",
    file: "packages/capture/src/call/stream/internal/AlikeChunks.ts",
    edits: [{ find: "if (!special.test(between)) return between", replace: "if (between.length < 9) return between" }],
    tests: ["--project", "capture", "Assembler"]
  },
  {
    name: "a chunk of a run that its event says more about, taken as one that it does not",
    file: "packages/capture/src/call/stream/internal/AlikeChunks.ts",
    edits: [{ find: ' || text[lineEnd + 1] !== "\\n"', replace: "" }],
    tests: ["--project", "capture", "Assembler"]
  }
]
