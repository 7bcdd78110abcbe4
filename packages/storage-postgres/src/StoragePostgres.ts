/**
 * Every storage port on one Postgres schema. Brings the schema to the newest version first; servers that share it, also
 * while they start, share its work.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { Queue } from "@limbeck/core/queue/Queue"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { CallStore } from "@limbeck/gateway/capture/CallStore"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as BlobSweep from "./BlobSweep.ts"
import * as BlobsPostgres from "./BlobsPostgres.ts"
import * as CallStorePostgres from "./CallStorePostgres.ts"
import { clientConfig, type Options, schemaName } from "./Connection.ts"
import * as DeliveryStorePostgres from "./DeliveryStorePostgres.ts"
import * as Doorbells from "./Doorbells.ts"
import * as EventStorePostgres from "./EventStorePostgres.ts"
import * as IdempotencyStorePostgres from "./IdempotencyStorePostgres.ts"
import { migrate } from "./migrations/Migrations.ts"
import { failAs } from "./PostgresError.ts"
import * as QueuePostgres from "./QueuePostgres.ts"
import * as RateStorePostgres from "./RateStorePostgres.ts"
import * as ResourceStorePostgres from "./ResourceStorePostgres.ts"
import * as RowStorePostgres from "./RowStorePostgres.ts"
import * as RunRecordsPostgres from "./RunRecordsPostgres.ts"
import * as TransactionsPostgres from "./TransactionsPostgres.ts"

export type { Options } from "./Connection.ts"

/** The ports that the layer provides. */
export type Ports =
  | Storage
  | ResourceStore
  | CredentialStore
  | EventStore
  | IdempotencyStore
  | Queue
  | Blobs
  | DeliveryStore
  | RowStore
  | RunRecords
  | CallStore
  | RateStore

const decodeInstance = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ instance: Schema.String })]))

const make = Effect.fnUntraced(
  function* (options: Options) {
    const schema = options.schema ?? "limbeck"
    if (!schemaName.test(schema)) return yield* Effect.die(new Error(`Not the name of a schema we make: ${schema}`))
    const config = clientConfig(options, schema)
    yield* migrate(config, schema)
    const sql = yield* PgClient.make(config)
    const [{ instance }] = yield* decodeInstance(yield* sql`SELECT gen_random_uuid()::text AS instance`)

    const storage = TransactionsPostgres.make(sql, schema)
    const doorbells = yield* Doorbells.make(sql, `${schema}_bells`, instance)
    yield* Effect.forkScoped(BlobSweep.forever(sql))
    return Context.make(Storage, storage).pipe(
      Context.add(ResourceStore, ResourceStorePostgres.make(sql)),
      Context.add(CredentialStore, ResourceStorePostgres.makeCredentials(sql)),
      Context.add(EventStore, EventStorePostgres.make(sql)),
      Context.add(IdempotencyStore, IdempotencyStorePostgres.make(sql, storage, schema)),
      Context.add(Queue, QueuePostgres.make(sql, doorbells)),
      Context.add(Blobs, BlobsPostgres.make(sql)),
      Context.add(DeliveryStore, DeliveryStorePostgres.make(sql)),
      Context.add(RowStore, RowStorePostgres.make(sql)),
      Context.add(RunRecords, RunRecordsPostgres.make(sql)),
      Context.add(CallStore, CallStorePostgres.make(sql)),
      Context.add(RateStore, RateStorePostgres.make(sql))
    )
  },
  Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make),
  failAs("StoragePostgres.layer")
)

export const layer = (options: Options): Layer.Layer<Ports, StorageError> => Layer.effectContext(make(options))
