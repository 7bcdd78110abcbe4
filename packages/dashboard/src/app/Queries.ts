/** How answers of the API are asked for, kept and asked again. */
import { ApiError, ConnectionError, type Page } from "@limbeck/client"
import {
  QueryClient,
  type UseQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import { useSession } from "./Session.tsx"

/** How often something that moves is asked again, in milliseconds. */
export const liveMillis = 2_000

/** How soon a server that cannot be reached is asked again, in milliseconds. */
const againMillis = 3_000

/** Whether nothing is known of what the server would answer. */
const isUnreached = (error: unknown): boolean => error instanceof ConnectionError

export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      // The client of the API retries already; a server that cannot be reached is tried as long as the page is open.
      queries: { retry: (_, error) => isUnreached(error), retryDelay: againMillis, staleTime: 1_000 },
      mutations: { retry: false }
    }
  })

type Key = ReadonlyArray<unknown>

/** One response; refreshed every `everyMillis` while `moves` expects a change. */
export const useAnswer = <A>(
  key: Key,
  ask: () => Promise<A>,
  { moves, ...options }: Partial<UseQueryOptions<A>> & { readonly moves?: (answer: A) => boolean } = {}
) =>
  useQuery<A>({
    queryKey: key,
    queryFn: ask,
    ...(moves === undefined
      ? {}
      : { refetchInterval: ({ state }) => (state.data !== undefined && moves(state.data) ? liveMillis : false) }),
    ...options
  })

/** What grows as long as something `moves`, asked again all the while, and once more at its end: the last of it comes then. */
export const useFollowed = <A>(key: Key, ask: () => Promise<A>, moves: boolean) => {
  const query = useAnswer(key, ask, { refetchInterval: moves ? liveMillis : false })
  const { refetch } = query
  useEffect(() => {
    if (!moves) refetch({ cancelRefetch: false })
  }, [moves, refetch])
  return query
}

interface Pages<A> {
  page: () => Promise<Page<A>>
}

interface PagesQuery {
  readonly state: { readonly data: { readonly pages: ReadonlyArray<unknown> } | undefined }
}

/** Refreshing a list reloads all its pages, so a list with further pages stays as it is. */
const whileShort =
  (everyMillis: number) =>
  ({ state }: PagesQuery): number | false =>
    (state.data?.pages.length ?? 0) > 1 ? false : everyMillis

/** A list of the API, page by page. */
export const useList = <A>(key: Key, list: (cursor: { cursor?: string }) => Pages<A>, everyMillis?: number) => {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => list(pageParam === null ? {} : { cursor: pageParam }).page(),
    initialPageParam: null as string | null,
    getNextPageParam: ({ has_more, next_cursor }) => (has_more ? next_cursor : null),
    ...(everyMillis === undefined ? {} : { refetchInterval: whileShort(everyMillis) })
  })
  const items = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  return { ...query, items }
}

export type Listing<A> = ReturnType<typeof useList<A>>

/** An action; afterwards every visible query is fetched again. `done` is not called once the page shows another place. */
export const useAction = <Given, A>(act: (given: Given) => Promise<A>, done?: (answer: A) => void) => {
  const queries = useQueryClient()
  const { isShown } = useSession()
  return useMutation({
    mutationFn: act,
    // What failed may have done a part.
    onSettled: () => queries.invalidateQueries(),
    onSuccess: (answer: A) => {
      if (isShown()) done?.(answer)
    }
  })
}

/** An error in words: the API's own where it is one. */
export const wordsOf = (error: unknown): string => {
  if (isUnreached(error)) return navigator.onLine ? "The server cannot be reached." : "You are offline."
  if (error instanceof ApiError) return error.param === null ? error.message : `${error.message} (${error.param})`
  return error instanceof Error ? error.message : String(error)
}

/** Of a resource that may have been deleted: null in place of a 404. */
export const missingAsNull = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
