/** Mistakes in holding back and sending writes of a Postgres transaction. */
import type { Mutant } from "./Mutant.ts"

const file = "packages/storage-postgres/src/internal/connection/UnitOfWork.ts"
const lookUps = "packages/storage-postgres/src/internal/connection/LookUps.ts"
const lookUpTests = ["--project", "storage-postgres", "look-ups"]
const backlogs = "packages/storage-postgres/src/internal/deliveries/Backlogs.ts"
const backlogTests = ["--project", "storage-postgres", "backlogs"]
const transactions = "packages/storage-postgres/src/internal/connection/Transactions.ts"
const tests = ["--project", "storage-postgres", "unit-of-work"]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a held write that is lost",
    file,
    edits: [{ find: "...this.#held.splice(0), ...asked", replace: "...this.#held.splice(0).slice(1), ...asked" }],
    tests
  },
  {
    name: "held writes that go out in another order",
    file,
    edits: [{ find: "...this.#held.splice(0), ...asked", replace: "...this.#held.splice(0).reverse(), ...asked" }],
    tests
  },
  {
    name: "held writes that go out after the commit",
    file,
    edits: [{ find: "[...this.#held.splice(0), ...asked]", replace: "[...asked, ...this.#held.splice(0)]" }],
    tests
  },
  {
    name: "a held write in one packet with BEGIN",
    file,
    edits: [{ find: "mayFollowBegin && this.#held.length === 0", replace: "mayFollowBegin || this.#held.length > 0" }],
    tests
  },
  {
    name: "a commit behind a write that could not be sent",
    file,
    edits: [{ find: "if (sent.some(isRefused)) break", replace: "" }],
    tests
  },
  {
    name: "a failed transaction that goes back to the pool open",
    file,
    edits: [{ find: "Effect.tapError(committed, () => this.rollback)", replace: "committed" }],
    tests
  },
  {
    name: "held writes of a transaction that fails, sent all the same",
    file,
    edits: [{ find: "this.#held = []\n", replace: "\n" }],
    tests
  },
  {
    name: "a transaction that copies all services",
    file: transactions,
    edits: [
      { find: "import type * as Context from", replace: "import * as Context from" },
      {
        find: "Effect.provideService(self, client.transactionService, [unit, 0])",
        replace: "Effect.provideContext(self, Context.make(client.transactionService, [unit, 0]) as never)"
      }
    ],
    tests
  },
  {
    name: "what follows a commit, lost",
    file: transactions,
    edits: [
      {
        find: "Effect.forEach(unit.end(), runAfterCommit",
        replace: "Effect.forEach(unit.end().slice(1), runAfterCommit"
      }
    ],
    tests
  },
  {
    name: "a refused held write under the name of another",
    file,
    edits: [{ find: "this.#failure = ofHeldWrite(operation, error)", replace: "this.#failure = error" }],
    tests
  },
  {
    name: "a late connection whose locks stay",
    file: "packages/storage-postgres/src/internal/connection/BoundedClient.ts",
    edits: [{ find: "Effect.andThen(giveUp(pool, unit.wire), closing)", replace: "closing" }],
    tests
  },
  {
    name: "what was found with the lock of a key, found again after a record",
    file: "packages/storage-postgres/src/internal/idempotency/IdempotencyStorePostgres.ts",
    edits: [{ find: "if (unit !== undefined) foundWithLock.delete(unit)", replace: "" }],
    tests
  },
  {
    name: "short reads of which each has a packet of its own",
    file: lookUps,
    edits: [{ find: "const packetMax = 16", replace: "const packetMax = 1" }],
    tests: lookUpTests
  },
  {
    name: "a slow packet of reads that keeps others waiting",
    file: lookUps,
    edits: [{ find: "const slowMillis = 10", replace: "const slowMillis = 3_600_000" }],
    tests: lookUpTests
  },
  {
    name: "reads in a packet with a late one that still wait",
    file: lookUps,
    edits: [{ find: "        read.giveUp()\n", replace: "" }],
    tests: lookUpTests
  },
  {
    name: "reads of the same text that share one, whatever they ask for",
    file: "packages/storage-postgres/src/internal/connection/WaitingReads.ts",
    edits: [{ find: "JSON.stringify([sql, ...values.map(", replace: "JSON.stringify([sql, ...values.slice(1).map(" }],
    tests: lookUpTests
  },
  {
    name: "a read that joins one which was sent before it asked",
    file: "packages/storage-postgres/src/internal/connection/WaitingReads.ts",
    edits: [
      { find: "this.#reads.get(key) ?? {", replace: "this.#reads.get(key) ?? sent.get(key) ?? {" },
      {
        find: "      this.#reads.delete(key)\n",
        replace: "      this.#reads.delete(key)\n      sent.set(key, read)\n"
      },
      {
        find: "export class WaitingReads {",
        replace: "const sent = new Map<string, Read>()\n\nexport class WaitingReads {"
      }
    ],
    tests: lookUpTests
  },
  {
    name: "a read in a transaction that is asked outside of it",
    file: "packages/storage-postgres/src/internal/connection/Writes.ts",
    edits: [{ find: " || connectionIn(sql, context) !== undefined", replace: "" }],
    tests: lookUpTests
  },
  {
    name: "a count of a backlog that is told for as long as the server runs",
    file: backlogs,
    edits: [{ find: "Math.min(tellingMaxMillis, tellingFactor * tookMillis)", replace: "3_600_000 + tookMillis" }],
    tests: backlogTests
  },
  {
    name: "a count of a backlog that is told to nobody else",
    file: backlogs,
    edits: [{ find: "const tellingFactor = 20", replace: "const tellingFactor = 0" }],
    tests: backlogTests
  },
  {
    name: "a count of a transaction that others are told",
    file: backlogs,
    edits: [{ find: "Option.isSome(transaction)", replace: "Option.isSome(transaction) && false" }],
    tests: backlogTests
  },
  {
    name: "documents that were decoded stay in memory for good",
    file: "packages/core/src/cache/BoundedCache.ts",
    edits: [{ find: "      this.#old = this.#young\n      this.#young = new Map()\n", replace: "" }],
    tests: ["--project", "core", "cache/BoundedCache"]
  },
  {
    name: "a document that is asked for all the time is forgotten",
    file: "packages/core/src/cache/BoundedCache.ts",
    edits: [{ find: "if (old !== undefined) this.keep(key, old.value, old.length)", replace: "" }],
    tests: ["--project", "core", "cache/BoundedCache"]
  }
]
