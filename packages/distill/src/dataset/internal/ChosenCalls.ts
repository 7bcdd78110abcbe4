/** Calls that a filter names one by one, for the rows of a version. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallsFilter } from "../CallsFilter.ts"

type Chosen = Pick<CallsFilter, "ids" | "outcome" | "servedBy">

/** In their order, one at a time. Leaves out deleted calls and verifications. */
export const read = (
  calls: CallStore["Service"],
  partition: Partition,
  { ids = [], outcome, servedBy }: Chosen
): Stream.Stream<CapturedCall, StorageError> =>
  Stream.fromIterable(new Set(ids)).pipe(
    Stream.mapEffect((id) => calls.find(partition, id)),
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.filter(
      (call) =>
        call.verifies === undefined &&
        (servedBy === undefined || call.servedBy === servedBy) &&
        (outcome === undefined || call.outcome === outcome)
    )
  )
