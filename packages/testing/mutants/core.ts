/** Idempotency, cursors, partitions, and the machine kit. */
import { type Mutant, memory, postgres } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "an idempotency look-up that is older than its lock (Postgres)",
    file: "packages/storage-postgres/src/internal/IdempotencyStorePostgres.ts",
    edits: [
      {
        find: "const [locks, rows = []] = yield* together(sql, [locking, lookUp(partition, key)])",
        replace: "const [rows = [], locks] = yield* together(sql, [lookUp(partition, key), locking])"
      }
    ],
    tests: postgres
  },
  {
    name: "a list that is shown as before because it begins and ends alike",
    file: "packages/core/src/json/JsonLists.ts",
    edits: [
      {
        find: "one.data.every((item, index) => item === other.data[index])",
        replace: "one.data.at(-1) === other.data.at(-1)"
      }
    ],
    tests: ["--project", "core", "JsonLists"]
  },
  {
    name: "a list that is shown as before though what it holds may change",
    file: "packages/core/src/json/JsonLists.ts",
    edits: [{ find: " && data.every(JsonTexts.isKept)", replace: "" }],
    tests: ["--project", "core", "JsonLists"]
  },
  {
    name: "a cursor without the digest of its filters",
    file: "packages/core/src/pages/Cursor.ts",
    edits: [{ find: "return made === digestOf(scope)", replace: "return made !== undefined" }],
    tests: ["--project", "core", "Cursor"]
  },
  {
    name: "a cursor that takes a character for a byte",
    file: "packages/core/src/pages/Cursor.ts",
    edits: [{ find: ".replace(/[\\u0080-\\uffff]/g, escaped)", replace: "" }],
    tests: ["--project", "core", "pages/Cursor"]
  },
  {
    name: "a page that drops its partition (memory)",
    file: "packages/storage-memory/src/internal/EventStoreMemory.ts",
    edits: [
      {
        find: "tables.byId.of(partition.key).descending(request.after)",
        replace: `tables.byId.of(partition.key.slice(0, 2)).descending(request.after)`
      },
      {
        find: "const table = tables.byId.of(partition.key)",
        replace: "const table = tables.byId.of(partition.key.slice(0, 2))"
      }
    ],
    tests: memory
  },
  {
    name: "a page that drops its partition (Postgres)",
    file: "packages/storage-postgres/src/internal/ResourceStorePostgres.ts",
    edits: [
      {
        find: `sql\`kind = \${kind.name} AND partition = \${partition.key}\`,`,
        replace: `sql\`kind = \${kind.name} AND \${partition.key}::text IS NOT NULL\`,`
      }
    ],
    tests: postgres
  },
  {
    name: "a machine that leads to a status beside its table",
    file: "packages/core/src/machine/Machine.ts",
    edits: [{ find: "if (edges[from][event]?.includes(next.status) === true) return next", replace: "return next" }],
    tests: ["--project", "core", "Machine"]
  },
  {
    name: "a machine that lets an event through that its table does not know",
    file: "packages/core/src/machine/Machine.ts",
    edits: [{ find: "edges[status][event] === undefined", replace: "edges[status] === undefined" }],
    tests: ["--project", "core", "Machine"]
  },
  {
    name: "a revoked token that still works through an outage at the server that revoked it",
    file: "packages/core/src/tokens/Authentication.ts",
    edits: [
      {
        find: "recent.revise((known) => (known.token.id === token.id ? { ...known, token } : known))",
        replace: "recent.revise((known) => (known.token.id === token.id ? known : { ...known }))"
      }
    ],
    tests: ["--project", "limbeck", "outage", "-t", "disabled"]
  },
  {
    name: "a revoked token that still works at a server that was told of it",
    file: "packages/core/src/cache/Recent.ts",
    edits: [{ find: "known.readAtAge === age && now", replace: "known.readAtAge <= age && now" }],
    tests: ["--project", "core", "Recent"]
  },
  {
    name: "a revoked token that still works where nobody was told of it",
    file: "packages/core/src/cache/Recent.ts",
    edits: [{ find: "now - known.askedAt < Limits.recentMillis", replace: "now >= known.askedAt" }],
    tests: ["--project", "core", "Recent"]
  }
]
