/** Mistakes made on purpose. Each must be caught by the tests named with it. */

export interface Edit {
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

export interface Mutant {
  readonly name: string
  readonly file: string
  readonly edits: ReadonlyArray<Edit>
  /** Arguments of vitest: the project, and the files that should catch it. */
  readonly tests: ReadonlyArray<string>
}

const memory = ["--project", "storage-memory"]
const postgres = ["--project", "storage-postgres"]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a delivery that succeeded may be redelivered",
    file: "packages/webhooks/src/delivery/DeliveryMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { Redelivered: ["pending"] },' }],
    tests: ["--project", "webhooks", "DeliveryMachine"]
  },
  {
    name: "a succeeded run may be canceled",
    file: "packages/distill/src/run/RunMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { CancelRequested: ["canceled"] },' }],
    tests: ["--project", "distill", "RunMachine"]
  },
  {
    name: "an upload that succeeded may be read again",
    file: "packages/distill/src/upload/UploadMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { ContentRead: ["succeeded"] },' }],
    tests: ["--project", "distill", "UploadMachine"]
  },
  {
    name: "a version that is ready may fail",
    file: "packages/distill/src/dataset/VersionMachine.ts",
    edits: [{ find: "ready: {},", replace: 'ready: { Failed: "failed" },' }],
    tests: ["--project", "distill", "VersionMachine"]
  },
  {
    name: "a settle that ignores the lease (memory)",
    file: "packages/storage-memory/src/DeliveryStoreMemory.ts",
    edits: [{ find: "row.leaseUntil === null || row.lease !== lease", replace: "lease < 0" }],
    tests: memory
  },
  {
    name: "a settle that ignores the lease (Postgres)",
    file: "packages/storage-postgres/src/DeliveryStorePostgres.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}] AND id = ($1)[\${place}] AND partition = ($3)[\${place}]`,
        replace: `id = ANY($1) AND partition = ANY($3) AND \${place} > 0`
      }
    ],
    tests: postgres
  },
  {
    name: "an idempotency look-up joined with its lock (Postgres)",
    file: "packages/storage-postgres/src/IdempotencyStorePostgres.ts",
    edits: [
      {
        find: `SELECT pg_try_advisory_xact_lock(hashtextextended(\${scope}, 0)) AS locked\``,
        replace: `SELECT pg_try_advisory_xact_lock(hashtextextended(\${scope}, 0)) AS locked,
          (SELECT count(*) FROM idempotency_records WHERE partition = \${partition.key} AND key = \${T.text(key)}) AS seen\`
    joined.set(partition.key + key, Number((rows[0] as { seen: bigint }).seen))`
      },
      {
        find: "const decodeLocks =",
        replace: "const joined = new Map<string, number>()\nconst decodeLocks ="
      },
      {
        find: "return Option.fromUndefinedOr((yield* decodeRecords(rows))[0])",
        replace: `if (joined.get(partition.key + key) === 0) return Option.none()
      return Option.fromUndefinedOr((yield* decodeRecords(rows))[0])`
      }
    ],
    tests: postgres
  },
  {
    name: "a cursor without the digest of its filters",
    file: "packages/core/src/pages/Cursor.ts",
    edits: [{ find: "return made === digestOf(scope)", replace: "return made !== undefined" }],
    tests: ["--project", "core", "Cursor"]
  },
  {
    name: "a page that drops its partition (memory)",
    file: "packages/storage-memory/src/EventStoreMemory.ts",
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
    file: "packages/storage-postgres/src/ResourceStorePostgres.ts",
    edits: [
      {
        find: `partition = \${partition.key} AND id < \${T.text(request.after`,
        replace: `\${partition.key}::text IS NOT NULL AND id < \${T.text(request.after`
      }
    ],
    tests: postgres
  }
]
