/** Due deliveries in storage: who claims them, and who settles them. */
import { crash, type Mutant, memory, postgres } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a settle that ignores the lease (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DeliveryStoreMemory.ts",
    edits: [{ find: "row.leaseUntil === null || row.lease !== lease", replace: "lease < 0" }],
    tests: memory
  },
  {
    name: "a settle that ignores the lease (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}] AND id = ($1)[\${place}] AND partition = ($3)[\${place}]`,
        replace: `id = ANY($1) AND partition = ANY($3) AND \${place} > 0`
      }
    ],
    tests: postgres
  },
  {
    name: "outcomes of a process that was frozen are taken (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}] AND id = ($1)[\${place}] AND partition = ($3)[\${place}]`,
        replace: `id = ANY($1) AND partition = ANY($3) AND \${place} > 0`
      }
    ],
    tests: crash("held")
  },
  {
    name: "a claim that others may take over before its lease ends (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DeliveryStoreMemory.ts",
    edits: [
      {
        find: "row?.leaseUntil ?? row?.delivery.dueAt ?? null",
        replace: "row?.delivery.dueAt ?? row?.leaseUntil ?? null"
      }
    ],
    tests: memory
  },
  {
    name: "a claim that others may take over before its lease ends (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $6, lease",
        replace: "SET due_at = ready_at, ready_at = least(ready_at, $6), lease"
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "claims of two processes that overlap (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $6, lease",
        replace: "SET due_at = ready_at, ready_at = least($6, $1 + 300), lease"
      }
    ],
    tests: crash("load")
  },
  {
    name: "a claim from every endpoint that others may take over at once (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $5, lease",
        replace: "SET due_at = ready_at, ready_at = least(ready_at, $5), lease"
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a claim for which both lanes are one (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DeliveryStoreMemory.ts",
    edits: [{ find: "return this.due[options.lane]", replace: "return this.due.first" }],
    tests: memory
  },
  {
    name: "a claim for which both lanes are one (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts",
    edits: [{ find: "WHERE retry = $7 AND ready_at <= $1", replace: "WHERE $7 IS NOT NULL AND ready_at <= $1" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a redelivery that waits among first attempts (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryDeadLetters.ts",
    edits: [{ find: "d.due_at, g.retry", replace: "d.due_at, false AS retry" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a retry that waits among first attempts (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [{ find: `retry = ($21)[\${place}]`, replace: "retry = false" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "an attempt that says what its delivery says instead of what its receiver answered (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [{ find: "result === lastResult && traceparent === null ? null : result", replace: "null" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a settlement in which those that are due again stay leased (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [
      {
        find: "delivery.dueAt !== null) ? retrying : succeeding",
        replace: "delivery.dueAt !== null) ? succeeding : succeeding"
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a claim that takes more of one endpoint than it may (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DueLane.ts",
    edits: [{ find: "?? perEndpointMax)", replace: "?? limit)" }],
    tests: memory
  },
  {
    name: "a claim that takes more of one endpoint than it may (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts",
    edits: [{ find: "THEN $10 ELSE $4 END AS places", replace: "THEN $10 ELSE $4 + 1000 END AS places" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "a batch of outcomes that is dropped for one that is stale (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DeliveryStoreMemory.ts",
    edits: [
      {
        find: "        settlements\n          .filter((settlement) => !deliveries.settle(undoLog, settlement))",
        replace: `        settlements
          .filter((settlement, index) => settlements.slice(0, index + 1).some((one) => !deliveries.settle(journal, one)))`
      }
    ],
    tests: memory
  },
  {
    name: "a batch of outcomes that is dropped for one that is stale (Postgres)",
    file: "packages/storage-postgres/src/internal/deliveries/DeliverySettlements.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}]`,
        replace: `(SELECT count(*) FROM deliveries_due WHERE lease = ANY($2)) = cardinality($2)
          AND id = ANY($1) AND lease = ($2)[\${place}]`
      }
    ],
    tests: [...postgres, "contracts"]
  }
]
