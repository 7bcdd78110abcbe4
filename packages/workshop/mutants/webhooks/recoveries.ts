/** Dead letters that are brought back. */
import { crash, type Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a step of a recovery that forgets its last letter",
    file: "packages/webhooks/src/recovery/internal/RecoveryStep.ts",
    edits: [{ find: "redeliver(partition, revived)", replace: "redeliver(partition, revived.slice(0, -1))" }],
    tests: ["--project", "webhooks", "Recoveries"]
  },
  {
    name: "a recovery that writes how far it came before it is there",
    file: "packages/webhooks/src/recovery/internal/RecoveryStep.ts",
    edits: [
      {
        find: "yield* deliveries.redeliver(partition, revived)",
        replace: "yield* storage.afterCommit(Effect.orDie(Effect.asVoid(deliveries.redeliver(partition, revived))))"
      }
    ],
    tests: crash("hundred")
  },
  {
    name: "a recovery that sends all at once",
    file: "packages/webhooks/src/recovery/internal/RecoveryStep.ts",
    edits: [{ find: "place * WebhookLimits.recoverySpacingMillis", replace: "place * 0" }],
    tests: ["--project", "webhooks", "Recoveries"]
  },
  {
    name: "a recovery of letters that are too old",
    file: "packages/webhooks/src/recovery/Recoveries.ts",
    edits: [{ find: "Math.max(since, now - WebhookLimits.redeliveryMillis)", replace: "since" }],
    tests: ["--project", "webhooks", "Recoveries"]
  }
]
