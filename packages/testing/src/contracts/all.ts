/** Every storage contract. An adapter passes all of them, whole. */
import type { StorageLayer } from "./AllPorts.ts"
import * as BlobPartsContract from "./BlobPartsContract.ts"
import * as BlobRemovalContract from "./BlobRemovalContract.ts"
import * as BlobsContract from "./BlobsContract.ts"
import * as CallScanContract from "./CallScanContract.ts"
import * as CallShadowsContract from "./CallShadowsContract.ts"
import * as CallStoreContract from "./CallStoreContract.ts"
import * as CallTalliesContract from "./CallTalliesContract.ts"
import * as ConversationStoreContract from "./ConversationStoreContract.ts"
import * as CredentialStoreContract from "./CredentialStoreContract.ts"
import * as DeadLettersContract from "./DeadLettersContract.ts"
import * as DeliveryClaimsContract from "./DeliveryClaimsContract.ts"
import * as DeliveryHistoryContract from "./DeliveryHistoryContract.ts"
import * as DeliveryLanesContract from "./DeliveryLanesContract.ts"
import * as DeliveryPagesContract from "./DeliveryPagesContract.ts"
import * as DeliverySettlementsContract from "./DeliverySettlementsContract.ts"
import * as DeliveryStoreContract from "./DeliveryStoreContract.ts"
import * as EventStoreContract from "./EventStoreContract.ts"
import * as IdempotencyStoreContract from "./IdempotencyStoreContract.ts"
import * as LedgerStoreContract from "./LedgerStoreContract.ts"
import * as QueueContract from "./QueueContract.ts"
import * as QueueTurnsContract from "./QueueTurnsContract.ts"
import * as RateStoreContract from "./RateStoreContract.ts"
import * as ResourceStoreContract from "./ResourceStoreContract.ts"
import * as RowStoreContract from "./RowStoreContract.ts"
import * as RunRecordsContract from "./RunRecordsContract.ts"
import * as StorageContract from "./StorageContract.ts"

const contracts = [
  StorageContract,
  ResourceStoreContract,
  CredentialStoreContract,
  EventStoreContract,
  IdempotencyStoreContract,
  QueueContract,
  QueueTurnsContract,
  BlobsContract,
  BlobPartsContract,
  BlobRemovalContract,
  DeliveryStoreContract,
  DeliveryClaimsContract,
  DeliveryLanesContract,
  DeliverySettlementsContract,
  DeliveryPagesContract,
  DeliveryHistoryContract,
  DeadLettersContract,
  RowStoreContract,
  RunRecordsContract,
  CallStoreContract,
  CallShadowsContract,
  CallScanContract,
  CallTalliesContract,
  ConversationStoreContract,
  RateStoreContract,
  LedgerStoreContract
]

/** Runs them over one adapter. `layer` is built anew for every suite; its cases share what it gives. */
export const suites = (name: string, layer: StorageLayer): void => {
  for (const { suite } of contracts) suite(name, layer)
}
