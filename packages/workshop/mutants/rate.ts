/** Rate limits that servers share. */
import { type Mutant, postgres } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a server that does not hear what the others let through",
    file: "packages/server/src/http/internal/LocalBuckets.ts",
    edits: [{ find: "shared, local.unreported, now)", replace: "local.bucket, 0, now)" }],
    tests: ["--project", "server", "rate-shared"]
  },
  {
    name: "a server that goes on however far it is ahead",
    file: "packages/server/src/http/internal/LocalBuckets.ts",
    edits: [
      { find: "reporting + unreported >= this.aheadMax", replace: "reporting + unreported >= Number.POSITIVE_INFINITY" }
    ],
    tests: ["--project", "server", "rate-shared"]
  },
  {
    name: "a shared bucket without debts",
    file: "packages/core/src/rate/TokenBucket.ts",
    edits: [{ find: "Math.max(-limit.burst, ", replace: "Math.max(0, " }],
    tests: ["--project", "core", "TokenBucket"]
  },
  {
    name: "uses from before that turn time back (Postgres)",
    file: "packages/storage-postgres/src/internal/rate/RateStorePostgres.ts",
    edits: [{ find: "at = greatest(shared.at, excluded.at)", replace: "at = excluded.at" }],
    tests: [...postgres, "contracts", "-t", "RateStore"]
  }
]
