/** What can be done with the chosen calls: feedback, deletion, and an end of the choice. */
import { ApiError, type Client } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Do } from "../parts/Do.tsx"
import { quantity } from "../parts/Words.ts"
import type { ChosenCalls } from "./useChosen.ts"

/** One after the other. What was done is no longer chosen, so that a failure leaves the rest. */
const each = async ({ drop, ids }: ChosenCalls, act: (id: string) => Promise<unknown>): Promise<void> => {
  for (const id of ids) {
    await act(id)
    drop([id])
  }
}

/** Somebody else may have deleted it meanwhile. */
const remove = (client: Client) => async (id: string) => {
  try {
    await client.calls.delete(id)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  }
}

export const ChosenActions = ({ chosen }: { readonly chosen: ChosenCalls }) => {
  const client = useClient()
  const { drop, ids } = chosen
  if (ids.length === 0) return null
  const give = (value: number) => () =>
    each(chosen, (call_id) => client.feedback.create({ call_id, name: "review", value }))
  return (
    <section className="actions chosen" aria-label="The chosen calls">
      <output>{quantity(ids.length, "call")} chosen</output>
      <Do button="Good answers" act={give(1)} />
      <Do button="Bad answers" act={give(0)} />
      <Ask
        button="Delete"
        tone="danger"
        title={`Delete ${quantity(ids.length, "call")}?`}
        note="Dataset versions that have them already keep them."
        does="Delete"
        act={() => each(chosen, remove(client))}
      />
      <button type="button" className="quiet" onClick={() => drop(ids)}>
        Choose none
      </button>
    </section>
  )
}
