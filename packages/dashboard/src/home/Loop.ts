/** The newest of each resource in the loop. */
import { liveMillis, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { useReader } from "../large/Reader.ts"

export const useLoop = () => {
  const client = useClient()
  const { client: readingClient } = useReader("calls")
  const every = 5 * liveMillis
  return {
    sources: useList(["sources", "home"], (cursor) => client.sources.list({ limit: 1, ...cursor }), every),
    calls: useList(["calls", "home"], (cursor) => readingClient.calls.list({ limit: 1, ...cursor }), every),
    uploads: useList(["uploads", "home"], (cursor) => client.uploads.list({ limit: 1, ...cursor }), every),
    datasets: useList(["datasets", "home"], (cursor) => client.datasets.list({ limit: 100, ...cursor }), every),
    runs: useList(["runs", "home"], (cursor) => client.runs.list({ limit: 100, ...cursor }), every),
    students: useList(["students", "home"], (cursor) => client.studentModels.list({ limit: 100, ...cursor }), every),
    deployments: useList(["deployments", "home"], (cursor) => client.deployments.list({ limit: 20, ...cursor }), every)
  }
}

export type Loop = ReturnType<typeof useLoop>
