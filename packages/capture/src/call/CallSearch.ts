/** Searches calls for a text by scanning, with a limit per page. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import * as Effect from "effect/Effect"
import { CaptureLimits } from "../Limits.ts"
import { containsText } from "./CallTextRules.ts"
import type { CapturedCall } from "./CapturedCall.ts"

type PageReader = (request: PageRequest) => Effect.Effect<Page<CapturedCall>, StorageError>

const bytesOf = ({ request, response }: CapturedCall): number => request.length + (response?.length ?? 0)

/** Newest first. The page ends at its limit, at the last call, or where enough were looked through. */
export const searchPage = Effect.fnUntraced(function* (read: PageReader, text: string, request: PageRequest) {
  const says = containsText(text)
  const found: Array<CapturedCall> = []
  let [calls, bytes, end] = [0, 0, request.after]
  while (calls < CaptureLimits.searchedCallsMax && bytes < CaptureLimits.searchedBytesMax) {
    const page = yield* read({ ...request, after: end, limit: CaptureLimits.searchedAtOnce })
    for (const call of page.items) {
      // Stops at the first call that exceeds the limit, which shows that more follow.
      if (found.length === request.limit) return { items: found, hasMore: true }
      if (says(call)) found.push(call)
      calls += 1
      bytes += bytesOf(call)
      end = call.id
      // Others get their turn: a body may take milliseconds.
      yield* Effect.yieldNow
    }
    if (!page.hasMore) return { items: found, hasMore: false }
  }
  return { items: found, hasMore: true, end: end ?? undefined }
})
