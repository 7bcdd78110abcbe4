/** A delivery from its event to its outcome, and the secrets that sign it. */
import { crash, type Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a delivery that succeeded may be redelivered",
    file: "packages/webhooks/src/delivery/DeliveryMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { Redelivered: ["pending"] },' }],
    tests: ["--project", "webhooks", "DeliveryMachine"]
  },
  {
    name: "a disabled endpoint that still gets deliveries",
    file: "packages/webhooks/src/endpoint/Endpoint.ts",
    edits: [
      { find: 'endpoint.status === "enabled" ? endpoint.enabledEvents', replace: "true ? endpoint.enabledEvents" }
    ],
    tests: ["--project", "webhooks", "WebhookFanout"]
  },
  {
    name: "leases that are given in the insert, and end too late",
    file: "packages/webhooks/src/delivery/WebhookFanout.ts",
    edits: [{ find: "+ WebhookLimits.leaseMillis", replace: "+ 60 * WebhookLimits.leaseMillis" }],
    tests: crash("load")
  },
  {
    name: "a delivery that is sent before its commit",
    file: "packages/webhooks/src/delivery/WebhookFanout.ts",
    edits: [{ find: "yield* storage.afterCommit(handOver)", replace: "yield* handOver" }],
    tests: ["--project", "webhooks", "Handover"]
  },
  {
    name: "a lease that ends before the attempt does",
    file: "packages/webhooks/src/delivery/DeliveryDispatcher.ts",
    edits: [{ find: "const leaseUntil = now + WebhookLimits.leaseMillis", replace: "const leaseUntil = now + 1" }],
    tests: ["--project", "webhooks", "DeliveryDispatcher"]
  },
  {
    name: "an attempt that begins although its lease is about to end",
    file: "packages/webhooks/src/delivery/internal/Attempts.ts",
    edits: [{ find: "startedAt + WebhookLimits.attemptLeaseMillis > leaseUntil", replace: "startedAt > leaseUntil" }],
    tests: ["--project", "webhooks", "LateClaims"]
  },
  {
    name: "a dispatcher that claims again where nothing can be left",
    file: "packages/webhooks/src/delivery/internal/ClaimRules.ts",
    edits: [{ find: 'ofEndpoints.length + ofWorkspaces.length > 0 ? "hidden" : "none"', replace: '"more"' }],
    tests: ["--project", "webhooks", "SwiftEndpoints"]
  },
  {
    name: "an event for an endpoint without room that wakes the dispatcher beside it",
    file: "packages/webhooks/src/delivery/WebhookFanout.ts",
    edits: [{ find: '"elsewhere" : "everywhere"', replace: '"everywhere" : "everywhere"' }],
    tests: ["--project", "webhooks", "Handover"]
  },
  {
    name: "a disabled endpoint that still gets attempts",
    file: "packages/webhooks/src/delivery/internal/Attempts.ts",
    edits: [{ find: 'endpoint?.status === "enabled"', replace: "endpoint !== undefined" }],
    tests: ["--project", "webhooks", "DeliveryDispatcher"]
  },
  {
    name: "a dispatcher without a bound per endpoint",
    file: "packages/webhooks/src/delivery/DeliveryDispatcher.ts",
    edits: [
      {
        find: "perEndpointMax: WebhookLimits.perEndpointMax,",
        replace: "perEndpointMax: Pools.webhookAttempts.size,"
      }
    ],
    tests: ["--project", "webhooks", "Handover"]
  },
  {
    name: "retries that count from the attempt before",
    file: "packages/webhooks/src/delivery/RetrySchedule.ts",
    edits: [{ find: "cycle.startedAt + Math.round(offset", replace: "cycle.endedAt + Math.round(offset" }],
    tests: ["--project", "webhooks", "RetrySchedule"]
  },
  {
    name: "a signature over a body that was parsed and written again",
    file: "packages/webhooks/src/delivery/SignedRequest.ts",
    edits: [
      {
        find: "text: letter.body,",
        replace: "text: JSON.stringify(JSON.parse(letter.body), null, 2),"
      }
    ],
    tests: ["--project", "webhooks", "DeliveryDispatcher"]
  },
  {
    name: "a receiver that verifies a body which was parsed and written again",
    file: "packages/client/src/webhooks/verify.ts",
    edits: [
      {
        find: 'typeof body === "string" ? utf8.encode(body) : body\n',
        replace: `utf8.encode(
    JSON.stringify(JSON.parse(typeof body === "string" ? body : strictUtf8.decode(body)))
  )
`
      }
    ],
    tests: ["--project", "client", "verify"]
  },
  {
    name: "a rotation that forgets the secret before",
    file: "packages/webhooks/src/endpoint/Endpoints.ts",
    edits: [{ find: "seconds === 0 ? null : value.sealedSecret", replace: "null" }],
    tests: ["--project", "webhooks", "Rotation"]
  },
  {
    name: "a rotation whose overlap never ends",
    file: "packages/webhooks/src/endpoint/Endpoint.ts",
    edits: [{ find: "endpoint.previousSecretExpiresAt <= now", replace: "endpoint.previousSecretExpiresAt <= 0" }],
    tests: ["--project", "webhooks", "Rotation"]
  },
  {
    name: "an outcome that is lost on its way",
    file: "packages/webhooks/src/delivery/internal/Settler.ts",
    edits: [
      {
        find: "write(settlements).pipe(",
        replace: "write(settlements.slice(1)).pipe("
      }
    ],
    tests: crash("load")
  }
]
