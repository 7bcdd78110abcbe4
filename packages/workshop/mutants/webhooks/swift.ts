/** Endpoints that answer quickly: many of their deliveries are claimed at once, stand in line, and are written together. */
import { type Mutant, memory, postgres } from "../Mutant.ts"

const dispatcher = "packages/webhooks/src/delivery/DeliveryDispatcher.ts"
const attempts = "packages/webhooks/src/delivery/internal/Attempts.ts"
const slots = "packages/webhooks/src/delivery/internal/Slots.ts"
const rules = "packages/webhooks/src/delivery/internal/SlotRules.ts"
const gathered = "packages/core/src/queue/Gathered.ts"
const claims = "packages/storage-postgres/src/internal/deliveries/DeliveryClaims.ts"
const endpointTests = ["--project", "webhooks", "SwiftEndpoints"]
const slotTests = ["--project", "webhooks", "delivery/Slots.test"]
const gatheredTests = ["--project", "core", "queue/Gathered"]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a swift endpoint of which no more is claimed than of others",
    file: dispatcher,
    edits: [{ find: 'lane === "first" ? slots.swift() : []', replace: "[]" }],
    tests: endpointTests
  },
  {
    name: "a swift endpoint of whose retries more is claimed than may stand in line",
    file: dispatcher,
    edits: [{ find: 'lane === "first" ? slots.swift() : []', replace: "slots.swift()" }],
    tests: endpointTests
  },
  {
    name: "an endpoint that refuses quickly, taken for a swift one",
    file: attempts,
    edits: [{ find: "isSuccess(result) && result.durationMillis <", replace: "result.durationMillis <" }],
    tests: endpointTests
  },
  {
    name: "an endpoint that succeeds slowly, taken for a swift one",
    file: attempts,
    edits: [
      {
        find: "isSuccess(result) && result.durationMillis < WebhookLimits.swiftMillis",
        replace: "isSuccess(result)"
      }
    ],
    tests: endpointTests
  },
  {
    name: "a claim that takes no more of those that may have more (memory)",
    file: "packages/storage-memory/src/internal/deliveries/DueLane.ts",
    edits: [{ find: "new Map(many?.endpoints.map((id) => [id, many.max]))", replace: "new Map<string, number>()" }],
    tests: [...memory, "StorageMemory", "-t", "claim"]
  },
  {
    name: "a claim from the head that takes no more of those that may have more (Postgres)",
    file: claims,
    edits: [
      {
        find: "WHEN endpoint_id = ANY($9) THEN $10 ELSE $4",
        replace: "WHEN endpoint_id = ANY($9) THEN least($10, $4) ELSE $4"
      }
    ],
    tests: [...postgres, "contracts", "-t", "claim"]
  },
  {
    name: "a claim from every endpoint that takes no more of those that may have more (Postgres)",
    file: claims,
    edits: [{ find: "ANY($8) THEN $9 ELSE $3", replace: "ANY($8) THEN least($9, $3) ELSE $3" }],
    tests: [...postgres, "contracts", "-t", "claim"]
  },
  {
    name: "more under way at one endpoint than its share",
    file: rules,
    edits: [{ find: "1 : bounds.perEndpointMax) &&", replace: "1 : 2 * bounds.perEndpointMax) &&" }],
    tests: endpointTests
  },
  {
    name: "a line that leaves retries no room",
    file: rules,
    edits: [{ find: "bounds.perEndpointMax - bounds.perEndpointClaimMax.retry", replace: "bounds.perEndpointMax" }],
    tests: slotTests
  },
  {
    name: "a line for endpoints that are not swift",
    file: rules,
    edits: [
      { find: 'lane === "first" && standing === "swift" && waiting <', replace: 'lane === "first" && waiting <' }
    ],
    tests: slotTests
  },
  {
    name: "a claim that knows only endpoints whose receivers are at work",
    file: slots,
    edits: [{ find: "held.ids().filter(", replace: "endpoints.ids().filter(" }],
    tests: slotTests
  },
  {
    name: "a line without a bound",
    file: rules,
    edits: [{ find: "&& waiting < bounds.lineMax", replace: "" }],
    tests: slotTests
  },
  {
    name: "lines that have no bound together",
    file: slots,
    edits: [
      { find: "const isFull = !Rules.hasPlaceInLines(", replace: "const isFull = false && !Rules.hasPlaceInLines(" }
    ],
    tests: slotTests
  },
  {
    name: "a line that goes on although its endpoint fell silent",
    file: slots,
    edits: [{ find: 'if (outcome === "silent") lines.end(id)', replace: 'if (outcome === "silent") return' }],
    tests: slotTests
  },
  {
    name: "a line that stands still for good because the process was full",
    file: slots,
    edits: [{ find: 'Rules.free(bounds, before, "first") === 0', replace: "false" }],
    tests: slotTests
  },
  {
    name: "a process that stops while others stand in line, and sends them first",
    file: attempts,
    edits: [{ find: "Effect.andThen(Effect.sync(slots.endLines), slots.awaitIdle)", replace: "slots.awaitIdle" }],
    tests: endpointTests
  },
  {
    name: "what stood in line and is over, kept until its lease ends",
    file: attempts,
    edits: [
      {
        find: "giveBack(work.claimed, () => {",
        replace: "queueMicrotask(() => {"
      }
    ],
    tests: endpointTests
  },
  {
    name: "an attempt of one that stood in line for too long",
    file: attempts,
    edits: [
      { find: "begin(work, slot, work.leaseUntil - inLineMillis)", replace: "begin(work, slot, work.leaseUntil)" }
    ],
    tests: endpointTests
  },
  {
    name: "outcomes that keep coming and are not waited for",
    file: gathered,
    edits: [
      {
        find: "quiet < quietTurns && waiting.length < lingerMax",
        replace: "quiet > quietTurns && waiting.length < lingerMax"
      }
    ],
    tests: gatheredTests
  },
  {
    name: "outcomes that are waited for although enough have come",
    file: gathered,
    edits: [
      { find: "quiet < quietTurns && waiting.length < lingerMax", replace: "quiet < quietTurns && lingerMax > 0" }
    ],
    tests: gatheredTests
  },
  {
    name: "an outcome that comes alone and waits for others",
    file: gathered,
    edits: [{ find: "const quietTurns = 4", replace: "const quietTurns = 1_000_000_000" }],
    tests: gatheredTests
  },
  {
    name: "outcomes that are written one by one",
    file: "packages/webhooks/src/delivery/internal/Settler.ts",
    edits: [{ find: "lingerMax: WebhookLimits.settleLingerMax", replace: "lingerMax: 0" }],
    tests: endpointTests
  }
]
