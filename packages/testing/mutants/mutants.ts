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
const webhooks = (file: string) => ["--project", "webhooks", file]
/** Engines that are killed and frozen, by one word of the test's name. */
const crash = (word: string) => ["--project", "limbeck", "crash", "-t", word]

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
    name: "a deployment that is retired may be changed",
    file: "packages/gateway/src/deployment/DeploymentMachine.ts",
    edits: [{ find: "retired: {}", replace: 'retired: { Changed: "ready" }' }],
    tests: ["--project", "gateway", "DeploymentMachine"]
  },
  {
    name: "a deployment that moves to a student before that one was loaded",
    file: "packages/gateway/src/deployment/Deployments.ts",
    edits: [{ find: "if (studentModel === before) return", replace: 'if (studentModel !== "") return' }],
    tests: ["--project", "gateway", "Deployments"]
  },
  {
    name: "a deployment that rolls back to a student at the endpoint of another",
    file: "packages/gateway/src/deployment/Settings.ts",
    edits: [{ find: "endpoint: previousEndpoint", replace: "endpoint: before.endpoint ?? previousEndpoint" }],
    tests: ["--project", "server", "deployments", "-t", "on memory"]
  },
  {
    name: "a key that follows a deployment's endpoint to another origin",
    file: "packages/gateway/src/deployment/DeploymentRules.ts",
    edits: [{ find: "before.sealedKey !== null", replace: "false" }],
    tests: ["--project", "server", "deployments", "-t", "on memory"]
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
  },
  {
    name: "webhooks: a claim that others may take over before its lease ends (memory)",
    file: "packages/storage-memory/src/DeliveryStoreMemory.ts",
    edits: [
      {
        find: "row?.leaseUntil ?? row?.delivery.dueAt ?? null",
        replace: "row?.delivery.dueAt ?? row?.leaseUntil ?? null"
      }
    ],
    tests: memory
  },
  {
    name: "webhooks: a claim that others may take over before its lease ends (Postgres)",
    file: "packages/storage-postgres/src/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $6, lease",
        replace: "SET due_at = ready_at, ready_at = least(ready_at, $6), lease"
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "webhooks: a claim from every endpoint that others may take over at once (Postgres)",
    file: "packages/storage-postgres/src/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $5, lease",
        replace: "SET due_at = ready_at, ready_at = least(ready_at, $5), lease"
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "webhooks: a lease that ends before the attempt does",
    file: "packages/webhooks/src/delivery/DeliveryDispatcher.ts",
    edits: [{ find: "const leaseUntil = now + Limits.leaseMillis", replace: "const leaseUntil = now + 1" }],
    tests: webhooks("DeliveryDispatcher")
  },
  {
    name: "webhooks: an attempt that begins although its lease is about to end",
    file: "packages/webhooks/src/delivery/Attempts.ts",
    edits: [{ find: "startedAt + Limits.attemptLeaseMillis > leaseUntil", replace: "startedAt > leaseUntil" }],
    tests: webhooks("LateClaims")
  },
  {
    name: "webhooks: leases that are given in the insert, and end too late",
    file: "packages/webhooks/src/delivery/WebhookFanout.ts",
    edits: [{ find: "+ Limits.leaseMillis", replace: "+ 60 * Limits.leaseMillis" }],
    tests: crash("load")
  },
  {
    name: "webhooks: a delivery that is sent before its commit",
    file: "packages/webhooks/src/delivery/WebhookFanout.ts",
    edits: [{ find: "yield* storage.afterCommit(handOver)", replace: "yield* handOver" }],
    tests: webhooks("Handover")
  },
  {
    name: "webhooks: a claim for which both lanes are one (memory)",
    file: "packages/storage-memory/src/DeliveryStoreMemory.ts",
    edits: [{ find: "return this.due[options.lane]", replace: "return this.due.first" }],
    tests: memory
  },
  {
    name: "webhooks: a claim for which both lanes are one (Postgres)",
    file: "packages/storage-postgres/src/DeliveryClaims.ts",
    edits: [{ find: "WHERE retry = $7 AND ready_at <= $1", replace: "WHERE $7 IS NOT NULL AND ready_at <= $1" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "webhooks: a claim that takes more of one endpoint than it may (memory)",
    file: "packages/storage-memory/src/DeliveryStoreMemory.ts",
    edits: [{ find: "Math.min(limit, perEndpointMax)", replace: "Math.max(limit, perEndpointMax)" }],
    tests: memory
  },
  {
    name: "webhooks: a claim that takes more of one endpoint than it may (Postgres)",
    file: "packages/storage-postgres/src/DeliveryClaims.ts",
    edits: [{ find: "THEN 1 ELSE $4 END AS places", replace: "THEN 1 ELSE $4 + 1000 END AS places" }],
    tests: [...postgres, "contracts"]
  },
  {
    name: "webhooks: a dispatcher without a bound per endpoint",
    file: "packages/webhooks/src/delivery/DeliveryDispatcher.ts",
    edits: [{ find: "perEndpointMax: Limits.perEndpointMax,", replace: "perEndpointMax: Limits.concurrencyMax," }],
    tests: ["--project", "webhooks", "Handover"]
  },
  {
    name: "webhooks: retries that count from the attempt before",
    file: "packages/webhooks/src/delivery/RetrySchedule.ts",
    edits: [{ find: "cycle.startedAt + Math.round(offset", replace: "cycle.endedAt + Math.round(offset" }],
    tests: webhooks("RetrySchedule")
  },
  {
    name: "webhooks: a signature over a body that was parsed and written again",
    file: "packages/webhooks/src/delivery/SignedRequest.ts",
    edits: [
      {
        find: "Signature.sign({ body,",
        replace: "Signature.sign({ body: utf8.encode(JSON.stringify(JSON.parse(options.body), null, 2)),"
      }
    ],
    tests: webhooks("DeliveryDispatcher")
  },
  {
    name: "webhooks: a receiver that verifies a body which was parsed and written again",
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
    name: "webhooks: a rotation that forgets the secret before",
    file: "packages/webhooks/src/endpoint/Endpoints.ts",
    edits: [{ find: "seconds === 0 ? null : value.sealedSecret", replace: "null" }],
    tests: webhooks("Rotation")
  },
  {
    name: "webhooks: a rotation whose overlap never ends",
    file: "packages/webhooks/src/endpoint/Endpoint.ts",
    edits: [{ find: "endpoint.previousSecretExpiresAt <= now", replace: "endpoint.previousSecretExpiresAt <= 0" }],
    tests: webhooks("Rotation")
  },
  {
    name: "webhooks: a disabled endpoint that still gets deliveries",
    file: "packages/webhooks/src/endpoint/Endpoint.ts",
    edits: [
      { find: 'endpoint.status === "enabled" ? endpoint.enabledEvents', replace: "true ? endpoint.enabledEvents" }
    ],
    tests: webhooks("WebhookFanout")
  },
  {
    name: "webhooks: a disabled endpoint that still gets attempts",
    file: "packages/webhooks/src/delivery/Attempts.ts",
    edits: [{ find: 'endpoint?.status === "enabled"', replace: "endpoint !== undefined" }],
    tests: webhooks("DeliveryDispatcher")
  },
  {
    name: "webhooks: a batch of outcomes that is dropped for one that is stale (memory)",
    file: "packages/storage-memory/src/DeliveryStoreMemory.ts",
    edits: [
      {
        find: "        settlements\n          .filter((settlement) => !deliveries.settle(journal, settlement))",
        replace: `        settlements
          .filter((settlement, index) => settlements.slice(0, index + 1).some((one) => !deliveries.settle(journal, one)))`
      }
    ],
    tests: memory
  },
  {
    name: "webhooks: a batch of outcomes that is dropped for one that is stale (Postgres)",
    file: "packages/storage-postgres/src/DeliveryStorePostgres.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}]`,
        replace: `(SELECT count(*) FROM deliveries_due WHERE lease = ANY($2)) = cardinality($2)
          AND id = ANY($1) AND lease = ($2)[\${place}]`
      }
    ],
    tests: [...postgres, "contracts"]
  },
  {
    name: "webhooks: outcomes of a process that was frozen are taken (Postgres)",
    file: "packages/storage-postgres/src/DeliveryStorePostgres.ts",
    edits: [
      {
        find: `id = ANY($1) AND lease = ($2)[\${place}] AND id = ($1)[\${place}] AND partition = ($3)[\${place}]`,
        replace: `id = ANY($1) AND partition = ANY($3) AND \${place} > 0`
      }
    ],
    tests: crash("held")
  },
  {
    name: "webhooks: claims of two processes that overlap (Postgres)",
    file: "packages/storage-postgres/src/DeliveryClaims.ts",
    edits: [
      {
        find: "SET due_at = ready_at, ready_at = $6, lease",
        replace: "SET due_at = ready_at, ready_at = least($6, $1 + 300), lease"
      }
    ],
    tests: crash("load")
  },
  {
    name: "webhooks: an outcome that is lost on its way",
    file: "packages/webhooks/src/delivery/Settler.ts",
    edits: [
      {
        find: "write(batch.map(({ settlement }) => settlement))",
        replace: "write(batch.slice(1).map(({ settlement }) => settlement))"
      }
    ],
    tests: crash("load")
  },
  {
    name: "webhooks: a step of a recovery that forgets its last letter",
    file: "packages/webhooks/src/recovery/RecoveryStep.ts",
    edits: [{ find: "redeliver(partition, revived)", replace: "redeliver(partition, revived.slice(0, -1))" }],
    tests: webhooks("Recoveries")
  },
  {
    name: "webhooks: a recovery that writes how far it came before it is there",
    file: "packages/webhooks/src/recovery/RecoveryStep.ts",
    edits: [
      {
        find: "yield* deliveries.redeliver(partition, revived)",
        replace: "yield* storage.afterCommit(Effect.orDie(Effect.asVoid(deliveries.redeliver(partition, revived))))"
      }
    ],
    tests: crash("hundred")
  },
  {
    name: "webhooks: a recovery that sends all at once",
    file: "packages/webhooks/src/recovery/RecoveryStep.ts",
    edits: [{ find: "place * Limits.recoverySpacingMillis", replace: "place * 0" }],
    tests: webhooks("Recoveries")
  },
  {
    name: "webhooks: a recovery of letters that are too old",
    file: "packages/webhooks/src/recovery/Recoveries.ts",
    edits: [{ find: "Math.max(since, now - Limits.redeliveryMillis)", replace: "since" }],
    tests: webhooks("Recoveries")
  },
  {
    name: "webhooks: a guard that looks a name up once more after it was checked",
    file: "packages/node/src/egress/GuardedConnect.ts",
    edits: [
      {
        find: "options.resolve(host).then(answer, () => answer([]))",
        replace: `const callBack = callback
    callback = (...[error, , family]) =>
      error === null
        ? void options.resolve(host).then((again) =>
            all === true
              ? callBack(null, again.map((address) => ({ address, family: isIP(address) })))
              : callBack(null, again[0]!, family)
          )
        : callBack(error, [])
    options.resolve(host).then(answer, () => answer([]))`
      }
    ],
    tests: ["--project", "node", "Guard"]
  },
  {
    name: "webhooks: a guard that is content with one good address",
    file: "packages/node/src/egress/GuardedConnect.ts",
    edits: [{ find: "addresses.every(", replace: "addresses.some(" }],
    tests: ["--project", "node", "Guard"]
  },
  {
    name: "webhooks: a guard that does not look at literal addresses",
    file: "packages/node/src/egress/GuardedConnect.ts",
    edits: [{ find: "isIP(target.hostname) === 0 ? undefined : checked", replace: "true ? undefined : checked" }],
    tests: ["--project", "node", "Guard", "UndiciSender"]
  },
  {
    name: "webhooks: a sender that follows redirects",
    file: "packages/node/src/webhooks/UndiciSender.ts",
    edits: [
      {
        find: "import * as Option from",
        replace: 'import { interceptors } from "undici"\nimport * as Option from'
      },
      {
        find: "pools.get(livemode, url.origin).dispatch(",
        replace: "pools.get(livemode, url.origin).compose(interceptors.redirect({ maxRedirections: 3 })).dispatch("
      }
    ],
    tests: ["--project", "node", "UndiciSender"]
  },
  {
    name: "runs: a reservation that the budget does not hold",
    file: "packages/distill/src/run/Budget.ts",
    edits: [{ find: "more > run.budgetMicros) return null", replace: "more > 2 * run.budgetMicros) return null" }],
    tests: ["--project", "distill", "Budget"]
  },
  {
    name: "runs: spend that is told twice and counted twice",
    file: "packages/distill/src/run/Budget.ts",
    edits: [
      {
        find: "costOf(run.prices, most(stage.usage, usage)) - costOf(run.prices, stage.usage)",
        replace: "costOf(run.prices, usage)"
      }
    ],
    tests: ["--project", "distill", "Budget"]
  },
  {
    name: "rate: a server that does not hear what the others let through",
    file: "packages/server/src/http/SharedBuckets.ts",
    edits: [{ find: "shared[index]!, known.untold, now)", replace: "known.bucket, 0, now)" }],
    tests: ["--project", "server", "rate-shared"]
  },
  {
    name: "rate: a server that goes on however far it is ahead",
    file: "packages/server/src/http/SharedBuckets.ts",
    edits: [{ find: "telling + untold >= aheadMax", replace: "telling + untold >= Number.POSITIVE_INFINITY" }],
    tests: ["--project", "server", "rate-shared"]
  },
  {
    name: "rate: a shared bucket without debts",
    file: "packages/core/src/rate/TokenBucket.ts",
    edits: [{ find: "Math.max(-limit.burst, ", replace: "Math.max(0, " }],
    tests: ["--project", "core", "TokenBucket"]
  },
  {
    name: "rate: uses from before that turn time back (Postgres)",
    file: "packages/storage-postgres/src/RateStorePostgres.ts",
    edits: [{ find: "at = greatest(shared.at, excluded.at)", replace: "at = excluded.at" }],
    tests: [...postgres, "contracts", "-t", "RateStore"]
  },
  {
    name: "blobs: a sweep that takes puts under way",
    file: "packages/storage-postgres/src/BlobSweep.ts",
    edits: [{ find: `first.upload AND p.written_at >= \${before}`, replace: "first.upload AND false" }],
    tests: [...postgres, "blob-sweep"]
  },
  {
    name: "blobs: a put that was swept is made visible",
    file: "packages/storage-postgres/src/BlobsPostgres.ts",
    edits: [{ find: `WHERE upload = \${T.int(upload)} AND seq = 0)`, replace: "WHERE seq = 0 OR true)" }],
    tests: [...postgres, "blob-sweep"]
  },
  {
    name: "blobs: content that is put again is as old as before (Postgres)",
    file: "packages/storage-postgres/src/BlobsPostgres.ts",
    edits: [{ find: "greatest(kept.put_at, excluded.put_at)", replace: "kept.put_at" }],
    tests: [...postgres, "contracts", "-t", "Blobs"]
  },
  {
    name: "blobs: content that is put again is as old as before (folder)",
    file: "packages/node/src/blobs/Contents.ts",
    edits: [{ find: "Files.touch(place, now).then(() => true)", replace: "Files.sync(place).then(() => true)" }],
    tests: ["--project", "node", "blobs/contracts"]
  },
  {
    name: "blobs: a part that is still written is read to its end (folder)",
    file: "packages/node/src/blobs/FolderBlobs.ts",
    edits: [{ find: ": bytesOf(handle, piece.bytes)", replace: ": bytesOf(handle, piece.bytes + 1)" }],
    tests: ["--project", "node", "blobs/contracts"]
  },
  {
    name: "blobs: a run that may be gone on with loses its checkpoint",
    file: "packages/distill/src/retention/References.ts",
    edits: [{ find: 'status === "succeeded" ? null : checkpoint?.state', replace: "null" }],
    tests: ["--project", "distill", "BlobRetention"]
  },
  {
    name: "serving: a larger share takes calls away from the student",
    file: "packages/gateway/src/serving/Traffic.ts",
    edits: [{ find: `\${key}`, replace: `\${key}\${percent}` }],
    tests: ["--project", "gateway", "Traffic"]
  },
  {
    name: "serving: the model is replaced wherever it is named",
    file: "packages/gateway/src/serving/ModelMember.ts",
    edits: [{ find: 'depth === 1 && next === "model"', replace: 'next === "model"' }],
    tests: ["--project", "gateway", "ModelMember"]
  },
  {
    name: "serving: a head without a body is an answer",
    file: "packages/gateway/src/serving/Beginning.ts",
    edits: [{ find: "yield* until(() => bytes > 0)", replace: "yield* until(() => true)" }],
    tests: ["--project", "server", "serving-endpoint"]
  },
  {
    name: "serving: half an answer is passed on",
    file: "packages/gateway/src/serving/Beginning.ts",
    edits: [{ find: "if (!isEventStream(answer))", replace: "if (false as boolean)" }],
    tests: ["--project", "server", "serving-endpoint"]
  },
  {
    name: "serving: nobody is told that an alias has moved",
    file: "packages/gateway/src/deployment/DeploymentChanges.ts",
    edits: [{ find: "yield* queue.nudge(Deployment.bell)", replace: "" }],
    tests: ["--project", "server", "serving.test"]
  },
  {
    name: "capture: the end of an answer does not wait for its record",
    file: "packages/gateway/src/capture/Capture.ts",
    edits: [
      {
        find: 'Effect.as(settle("succeeded"), chunks)',
        replace: 'Effect.as(Effect.forkDetach(settle("succeeded")), chunks)'
      }
    ],
    tests: ["--project", "gateway", "Capture"]
  },
  {
    name: "capture: a client that left is none",
    file: "packages/gateway/src/capture/Capture.ts",
    edits: [{ find: 'settle("aborted")', replace: "Effect.void" }],
    tests: ["--project", "gateway", "Capture"]
  },
  {
    name: "capture: a failure of storage is a refusal of the call",
    file: "packages/gateway/src/capture/Shipper.ts",
    edits: [{ find: "onFailure: () => undefined,", replace: "onFailure: () => cause," }],
    tests: ["--project", "gateway", "Recorders"]
  },
  {
    name: "journal: a frame is believed without its checksum",
    file: "packages/node/src/gateway/journal/Frames.ts",
    edits: [{ find: "crc32(payload) === view.getUint32(4)", replace: "crc32(payload) > -1" }],
    tests: ["--project", "node", "FileJournal"]
  },
  {
    name: "journal: a segment is removed before all of it is shipped",
    file: "packages/node/src/gateway/journal/JournalFiles.ts",
    edits: [{ find: "if (segment.waiting > 0) return\n", replace: "" }],
    tests: ["--project", "node", "FileJournal"]
  }
]
