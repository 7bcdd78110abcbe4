/** The upstream of scenarios: answers with the label that the last message ends in. */
import type { Models } from "@limbeck/testing/upstream/Models"
import { lastOf, promptOf, say } from "../support/Chats.ts"

/** The base URL of a model that answers any body. */
export const labelling = (upstream: Models): string =>
  upstream.base((request, response) => {
    const { messages } = promptOf(request)
    say(response, `label${Array.isArray(messages) ? String(lastOf({ model: "gpt", messages })).slice(0, 12) : ""}`)
  })
