/** The pages that the navigation links to. */
import { type LinkedPage, linkedPages, pageTable } from "./PageTable.ts"
import { useAnswer } from "./Queries.ts"
import { useClient, useHasAssistant, useSession } from "./Session.tsx"

/** The assistant needs a model: without a source it is not shown. Its link is the last one, so that the other links do not move. */
export const useLinkedPages = (): ReadonlyArray<LinkedPage> => {
  const client = useClient()
  const { service } = useSession()
  const hasAssistant = useHasAssistant()
  const { data } = useAnswer(["sources", "any"], () => client.sources.list({ limit: 1 }).page(), {
    enabled: hasAssistant
  })
  const isOffered = hasAssistant && data !== undefined && data.data.length > 0
  return linkedPages(service).filter(({ path }) => path !== pageTable.assistant.path || isOffered)
}
