/** Shares of workspaces in attempts. */
import { type Mutant, memory, postgres } from "../Mutant.ts"

const rules = "packages/webhooks/src/delivery/internal/SlotRules.ts"
const slots = "packages/webhooks/src/delivery/internal/Slots.ts"
const claims = "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts"
const shares = ["--project", "webhooks", "delivery/Shares.test"]
const claimTests = ["-t", "no more of a workspace than its room"]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a workspace that takes all quick slots",
    file: rules,
    edits: [{ find: "Shares.room(mine.quick.all, max - load.quick.all)", replace: "Number.POSITIVE_INFINITY" }],
    tests: shares
  },
  {
    name: "a workspace whose hanging attempts take all slow slots",
    file: rules,
    edits: [
      {
        find: "Shares.room(mine.quick.all + mine.slow.all, bounds.slowMax.first - load.slow.all)",
        replace: "Number.POSITIVE_INFINITY"
      }
    ],
    tests: shares
  },
  {
    name: "a workspace whose retries take all that retries may have",
    file: rules,
    edits: [
      {
        find: "Shares.room(mine.quick.retries + mine.slow.retries, bounds.slowMax.retry - load.slow.retries)",
        replace: "Number.POSITIVE_INFINITY"
      }
    ],
    tests: shares
  },
  {
    name: "a workspace that waits for room and is not called",
    file: slots,
    edits: [{ find: "if (called.length > 0) ring()", replace: "" }],
    tests: shares
  },
  {
    name: "a claim that takes more of a workspace than its room (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DueLane.ts",
    edits: [{ find: "return left > 0", replace: "return true" }],
    tests: [...memory, ...claimTests]
  },
  {
    name: "a claim from the head that takes more of a workspace than its room (Postgres)",
    file: claims,
    edits: [
      {
        find: "FROM shared WHERE nth <= room ORDER BY ready_at, id LIMIT $5",
        replace: "FROM shared ORDER BY ready_at, id LIMIT $5"
      }
    ],
    tests: [...postgres, "contracts", ...claimTests]
  },
  {
    name: "a claim from every endpoint that takes more of a workspace than its room (Postgres)",
    file: claims,
    edits: [
      {
        find: "FROM shared WHERE nth <= room ORDER BY ready_at LIMIT $4",
        replace: "FROM shared ORDER BY ready_at LIMIT $4"
      }
    ],
    tests: [...postgres, "contracts", ...claimTests]
  }
]
