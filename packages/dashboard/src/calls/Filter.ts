import type { useClient } from "../app/Session.tsx"

/** The filters of calls, in the API's names. */
export type Filter = NonNullable<Parameters<ReturnType<typeof useClient>["calls"]["list"]>[0]>
