/** A button that opens the newest review queue with something left to judge, or makes one. */
import type { ReviewQueue } from "@limbeck/client"
import { useLocation } from "wouter"
import { useAction } from "../app/Queries.ts"
import { useClient, useMayWrite } from "../app/Session.tsx"
import { Failure } from "../parts/Failure.tsx"

type Subject =
  | { readonly dataset_version: string; readonly of: "suspects" | "holdout" }
  | { readonly deployment: string }

const isOpen = ({ entries, gone, judged }: ReviewQueue): boolean => judged + gone < entries

export const StartReview = ({ button, subject }: { readonly button: string; readonly subject: Subject }) => {
  const client = useClient()
  const mayWrite = useMayWrite()
  const [, go] = useLocation()
  const { of = "unsure", ...named } = { of: undefined, ...subject }
  const open = async () => {
    const { data } = await client.reviewQueues.list({ ...named, limit: 20 }).page()
    return data.find((queue) => queue.of === of && isOpen(queue)) ?? (await client.reviewQueues.create(subject))
  }
  const action = useAction(open, ({ id }) => go(`/review/${id}`))
  return (
    <>
      <button type="button" disabled={!mayWrite || action.isPending} onClick={() => action.mutate(undefined)}>
        {button}
      </button>
      <Failure error={action.error} />
    </>
  )
}
