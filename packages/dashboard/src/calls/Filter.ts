import type { useClient } from "../app/Session.tsx"

/** What calls can be chosen by, as the API names it. */
export type Filter = NonNullable<Parameters<ReturnType<typeof useClient>["calls"]["list"]>[0]>
