import type { useClient } from "../app/Session.tsx"

/** The filters of calls, in the API's names; the page lists no verifications. */
export type Filter = Omit<NonNullable<Parameters<ReturnType<typeof useClient>["calls"]["list"]>[0]>, "verifies">
