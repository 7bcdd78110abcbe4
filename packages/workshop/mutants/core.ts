/** Idempotency, cursors, partitions, and the machine kit. */
import { type Mutant, memory, postgres } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a worker that forgets what a workspace has under way",
    file: "packages/core/src/queue/LeasedWorker.ts",
    edits: [{ find: "turns: { behind, free, held }", replace: "turns: { behind, free, held: new Map() }" }],
    tests: ["--project", "core", "LeasedWorker.shares"]
  },
  {
    name: "a worker that looks without rest for items that have no slot",
    file: "packages/core/src/queue/LeasedWorker.ts",
    edits: [{ find: "queue.nextDueAt(topic, shares.full())", replace: "queue.nextDueAt(topic)" }],
    tests: ["--project", "core", "LeasedWorker.shares"]
  },
  {
    name: "a share that is all that is free",
    file: "packages/core/src/pools/Shares.ts",
    edits: [{ find: "held + amount <= free", replace: "amount <= free" }],
    tests: ["--project", "core", "LeasedWorker.shares"]
  },
  {
    name: "a line in which a workspace takes more than its share",
    file: "packages/core/src/pools/FairSlots.ts",
    edits: [{ find: "(workspace) => this.shares.fits(workspace)", replace: "() => this.shares.free > 0" }],
    tests: ["--project", "core", "FairSlots"]
  },
  {
    name: "a line that serves in the order of arrival",
    file: "packages/core/src/pools/FairSlots.ts",
    edits: [
      {
        find: "if (value !== undefined && map.delete(key)) map.set(key, value)",
        replace: "if (value !== undefined) map.set(key, value)"
      }
    ],
    tests: ["--project", "core", "FairSlots"]
  },
  {
    name: "a workspace whose students take every process",
    file: "packages/serving/src/student/ManagedStudents.ts",
    edits: [{ find: "if (!shares.fits(workspace)) return", replace: "if (shares.free === 0) return" }],
    tests: ["--project", "serving", "ManagedStudents"]
  },
  {
    name: "bodies of one workspace that fill the room of all",
    file: "packages/server/src/http/internal/BodyRoom.ts",
    edits: [{ find: "!shares.fits(workspace, more)", replace: "more > shares.free" }],
    tests: ["--project", "server", "bodies", "-t", "leave room"]
  },
  {
    name: "a claim that gives workspaces more than their shares (memory)",
    file: "packages/storage-memory/src/internal/queue/DueTurns.ts",
    edits: [{ find: "fits(load - 1, 1, free - place)", replace: "place < free" }],
    tests: memory
  },
  {
    name: "a claim that gives workspaces more than their shares (Postgres)",
    file: "packages/storage-postgres/src/internal/queue/QueueClaims.ts",
    edits: [
      { find: `WHERE load <= \${T.int(free)} - (place - 1) ORDER`, replace: `WHERE place <= \${T.int(free)} ORDER` }
    ],
    tests: [...postgres, "contracts", "-t", "Queue"]
  },
  {
    name: "a claim that counts the modes of a workspace apart (Postgres)",
    file: "packages/storage-postgres/src/internal/queue/QueueClaims.ts",
    edits: [{ find: "(PARTITION BY workspace ORDER BY nth, turn)", replace: "(PARTITION BY turn ORDER BY nth)" }],
    tests: [...postgres, "contracts", "-t", "Queue"]
  },
  {
    name: "an idempotency look-up that is older than its lock (Postgres)",
    file: "packages/storage-postgres/src/internal/idempotency/IdempotencyStorePostgres.ts",
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
    file: "packages/storage-memory/src/internal/events/EventStoreMemory.ts",
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
    file: "packages/storage-postgres/src/internal/resources/ResourceStorePostgres.ts",
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
    name: "a cache that forgets everything at a restart",
    file: "packages/core/src/cache/internal/RecentSnapshot.ts",
    edits: [{ find: "if (store === null) return null", replace: "if (store !== null) return null" }],
    tests: ["--project", "core", "RecentSnapshot"]
  },
  {
    name: "a cache that believes its snapshot before it asks storage",
    file: "packages/core/src/cache/Recent.ts",
    edits: [{ find: "readAtAge: -1", replace: "readAtAge: age" }],
    tests: ["--project", "core", "RecentSnapshot"]
  },
  {
    name: "a snapshot that brings back what was removed",
    file: "packages/core/src/cache/internal/RecentSnapshot.ts",
    edits: [{ find: "void removals.set(storedKey(key, value), now())", replace: "void [key, value]" }],
    tests: ["--project", "core", "RecentSnapshot"]
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
