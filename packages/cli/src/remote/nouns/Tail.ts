/** `limbeck logs tail`: captured calls as they come. */
import type { Calls } from "@limbeck/client/operations"
import type { Command } from "../Remote.ts"
import { WatchLimits } from "./Limits.ts"
import { itemsOf, type Resource, showItems } from "./Listing.ts"
import { nounTable } from "./NounTable.ts"
import { pause, type Watching } from "./Watching.ts"

const calls = nounTable.calls

export interface TailOptions {
  /** Filters of the list of calls. */
  readonly where: Readonly<Record<string, string>>
  /** How many earlier calls to show first. */
  readonly last: number
}

type Seen = ReadonlySet<unknown>

const isNewTo =
  (seen: Seen) =>
  ({ id }: Resource): boolean =>
    !seen.has(id)

/** The calls that were not seen, the newest first. Reads further than a page only if the whole page is new. */
const newCalls = async (operations: Calls, where: TailOptions["where"], seen: Seen) => {
  const page = await itemsOf(operations, calls, { ids: [], where, limit: WatchLimits.pageMax })
  if (page.length < WatchLimits.pageMax || !page.every(isNewTo(seen))) return page.filter(isNewTo(seen))
  const more = await itemsOf(operations, calls, { ids: [], where, limit: WatchLimits.tailedMax })
  return more.filter(isNewTo(seen))
}

export const tail =
  ({ last, where }: TailOptions, watching: Watching): Command =>
  async (_, output, operations) => {
    const earlier = await itemsOf(operations, calls, { ids: [], where, limit: WatchLimits.pageMax })
    let seen = new Set(earlier.map(({ id }) => id))
    showItems(output, calls, earlier.slice(0, last).toReversed())
    while (!watching.signal.aborted) {
      await pause(watching)
      const fresh = await newCalls(operations, where, seen)
      seen = new Set([...fresh.map(({ id }) => id), ...seen].slice(0, WatchLimits.tailedMax))
      if (fresh.length > 0) showItems(output, calls, fresh.toReversed())
    }
    return 0
  }
