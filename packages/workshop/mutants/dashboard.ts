/** What the dashboard draws, and what browsers and caches may do with answers. */
import type { Mutant } from "./Mutant.ts"

const dashboard = ["--project", "dashboard"]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "JSON is written to its end whatever is drawn of it",
    file: "packages/dashboard/src/large/TextPart.ts",
    edits: [{ find: "if (kept.length > length) break", replace: "" }],
    tests: [...dashboard, "large"]
  },
  {
    name: "all messages of a call are drawn",
    file: "packages/dashboard/src/large/MessageParts.ts",
    edits: [{ find: "all.slice(from, from + DrawingLimits.itemsMax)", replace: "all.slice(from)" }],
    tests: [...dashboard, "large"]
  },
  {
    name: "each message is drawn as if it were alone",
    file: "packages/dashboard/src/large/MessageParts.ts",
    edits: [{ find: "left -= part.text.length", replace: "left -= 0" }],
    tests: [...dashboard, "large"]
  },
  {
    name: "a role is the name of a class",
    file: "packages/dashboard/src/parts/Tones.ts",
    edits: [{ find: 'roles.get(role) ?? "message"', replace: 'roles.get(role) ?? "message ".concat(role)' }],
    tests: [...dashboard, "tones"]
  },
  {
    name: "a state is looked up among the members of every object",
    file: "packages/dashboard/src/parts/Tones.ts",
    edits: [
      {
        find: 'tones.get(state) ?? "badge even"',
        replace: '"badge ".concat(Object.fromEntries(tones)[state] ?? "even")'
      }
    ],
    tests: [...dashboard, "tones"]
  },
  {
    name: "a browser keeps answers to tokens",
    file: "packages/server/src/http/internal/Edge.ts",
    edits: [{ find: "{ ...fixedHeaders, ...noStoreHeaders }", replace: "{ ...fixedHeaders }" }],
    tests: ["--project", "server", "answer-headers", "-t", "memory"]
  },
  {
    name: "an upstream lets caches keep what it answers",
    file: "packages/serving/src/proxy/PassedHeaders.ts",
    edits: [{ find: '"cache-control": "no-store",', replace: "" }],
    tests: ["--project", "server", "answer-headers", "-t", "memory"]
  },
  {
    name: "a browser may come back over plain http",
    file: "packages/server/src/http/AnswerHeaders.ts",
    edits: [{ find: 'startsWith("https:")', replace: 'startsWith("https:", 1)' }],
    tests: ["--project", "server", "answer-headers", "-t", "memory"]
  }
]
