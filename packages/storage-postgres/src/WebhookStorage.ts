/**
 * The storage ports of the webhook engine alone, on one Postgres schema; `StoragePostgres` adds the other subjects' ports.
 * First migrates the schema to the newest version; servers may share a schema, even while starting.
 */

import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import type { WebhookPorts } from "@limbeck/webhooks/StoragePorts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as BlobSweep from "./internal/blobs/BlobSweep.ts"
import * as BlobsPostgres from "./internal/blobs/BlobsPostgres.ts"
import * as BoundedClient from "./internal/connection/BoundedClient.ts"
import { clientConfig, type Options, schemaName } from "./internal/connection/Connection.ts"
import * as Doorbells from "./internal/connection/Doorbells.ts"
import * as PoolerCheck from "./internal/connection/PoolerCheck.ts"
import { failAs } from "./internal/connection/PostgresError.ts"
import * as DeliveryStorePostgres from "./internal/deliveries/DeliveryStorePostgres.ts"
import * as EventStorePostgres from "./internal/events/EventStorePostgres.ts"
import * as IdempotencyStorePostgres from "./internal/idempotency/IdempotencyStorePostgres.ts"
import * as QueuePostgres from "./internal/queue/QueuePostgres.ts"
import * as RateStorePostgres from "./internal/rate/RateStorePostgres.ts"
import * as ResourceStorePostgres from "./internal/resources/ResourceStorePostgres.ts"
import * as TransactionsPostgres from "./internal/transactions/TransactionsPostgres.ts"
import { migrate } from "./migrations/internal/Migrations.ts"

export type { Options } from "./internal/connection/Connection.ts"

const decodeInstance = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ instance: Schema.String })]))

/** Connected, with the ports that every assembly has. */
export const connect = Effect.fnUntraced(
  function* (options: Options) {
    const schema = options.schema ?? "limbeck"
    if (!schemaName.test(schema)) return yield* Effect.die(new Error(`Not the name of a schema we make: ${schema}`))
    const config = clientConfig(options, schema)
    yield* PoolerCheck.check(config)
    yield* migrate(config, schema)
    const sql = yield* BoundedClient.make(config, () => performance.now())
    const [{ instance }] = yield* decodeInstance(yield* sql`SELECT gen_random_uuid()::text AS instance`)

    const storage = TransactionsPostgres.make(sql, schema)
    const doorbells = yield* Doorbells.make(sql, `${schema}_bells`, instance)
    yield* Effect.forkScoped(BlobSweep.forever(sql))
    const ports: Context.Context<WebhookPorts> = Context.make(Storage, storage).pipe(
      Context.add(ResourceStore, ResourceStorePostgres.make(sql)),
      Context.add(CredentialStore, ResourceStorePostgres.makeCredentials(sql)),
      Context.add(EventStore, EventStorePostgres.make(sql)),
      Context.add(IdempotencyStore, IdempotencyStorePostgres.make(sql, storage, schema)),
      Context.add(Queue, QueuePostgres.make(sql, doorbells)),
      Context.add(Blobs, BlobsPostgres.make(sql)),
      Context.add(DeliveryStore, yield* DeliveryStorePostgres.make(sql)),
      Context.add(RateStore, RateStorePostgres.make(sql))
    )
    return { sql, ports }
  },
  Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make),
  failAs("StoragePostgres.layer")
)

/**
 * Connects, and brings the schema to the newest version. Fails with `StorageError` when the database does not answer, or a newer
 * version has migrated it.
 */
export const layer = (options: Options): Layer.Layer<WebhookPorts, StorageError> =>
  Layer.effectContext(Effect.map(connect(options), ({ ports }) => ports))
