/** The number of captured calls: the server counts them by day, so reading is independent of their number. */
import type { Page } from "@limbeck/client"
import type { Usage } from "../access/Usage.ts"
import { type Ask, pagesOf } from "../app/Credentials.ts"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"

export const days = 30

/** The first day that counts, in UTC. */
const since = () => new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)

/** A page has some of these days, each with few kinds. */
const countSince = async (ask: Ask, first: string): Promise<number> => {
  const pages = pagesOf<Usage>(ask, "billing/usage")
  let total = 0
  let cursor = {}
  for (;;) {
    const { data, next_cursor }: Page<Usage> = await pages(cursor).page()
    const own = data.filter(({ date, kind }) => kind === "captured_calls" && date >= first)
    total += own.reduce((sum, { quantity }) => sum + quantity, 0)
    if (next_cursor === null || (data.at(-1)?.date ?? "") < first) return total
    cursor = { cursor: next_cursor }
  }
}

/** The last days' count; undefined if unknown, or if the token may not read it. */
export const useCaptured = () => {
  const { ask } = useSession()
  return useAnswer(["captured"], () => countSince(ask, since()), { refetchInterval: 5 * liveMillis })
}
