/** Tasks for a person: a sentence and a link for each. */
import { Link } from "wouter"
import { liveMillis, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Placeholder, Section } from "../parts/Page.tsx"
import { count, quantity, share } from "../parts/Words.ts"
import { healthySuccessMin } from "../webhooks/EndpointState.ts"
import type { Loop } from "./Loop.ts"

interface Note {
  readonly place: string
  readonly name: string
  readonly state: string
  readonly what: string
}

const ofDeployments = ({ deployments }: Loop): ReadonlyArray<Note> =>
  deployments.items
    .filter(({ status }) => status !== "retired")
    .flatMap(({ drifted_at, guarded_at, id, model }) => {
      const note = { place: `/deployments/${id}`, name: model }
      if (guarded_at !== null) return [{ ...note, state: "guarded", what: "its agreement fell below the floor" }]
      return drifted_at === null ? [] : [{ ...note, state: "drifted", what: "its calls are not what they were" }]
    })

/** Rehearsals without a live run, and failed runs without a retry. */
const ofRuns = ({ runs }: Loop): ReadonlyArray<Note> => {
  const tried = new Set(runs.items.map(({ validated_dry_run }) => validated_dry_run))
  return runs.items.flatMap(({ dry_run, error, id, livemode, name, status }) => {
    const note = { place: `/runs/${id}`, name: name ?? id }
    if (status === "failed") return [{ ...note, state: "failed", what: error?.message ?? "the run failed" }]
    const waits = dry_run && livemode && status === "succeeded" && !tried.has(id)
    return waits ? [{ ...note, state: "rehearsed", what: "the live run waits for your yes" }] : []
  })
}

const useEndpointNotes = () => {
  const client = useClient()
  const endpoints = useList(
    ["endpoints"],
    (cursor) => client.webhookEndpoints.list({ limit: 100, ...cursor }),
    5 * liveMillis
  )
  const notes = endpoints.items.flatMap(
    ({ delivery_stats: { dead_lettered, pending, success_rate_24h }, id, status, url }) => {
      const isWell = dead_lettered === 0 && (success_rate_24h ?? 1) >= healthySuccessMin
      if (status !== "enabled" || isWell) return []
      const what = `${share(success_rate_24h)} delivered in 24 hours, ${count(pending)} outstanding, ${count(dead_lettered)} dead-lettered`
      return [{ place: `/webhooks/${id}`, name: url, state: "failing", what }]
    }
  )
  return { notes, isPending: endpoints.isPending }
}

const notesMax = 8

export const Attention = ({ loop }: { readonly loop: Loop }) => {
  const endpoints = useEndpointNotes()
  if (endpoints.isPending) return <Placeholder />
  const notes = [...ofDeployments(loop), ...endpoints.notes, ...ofRuns(loop)]
  if (notes.length === 0) return null
  return (
    <Section title="What needs you" note={quantity(notes.length, "thing")}>
      <ul className="notes">
        {notes.slice(0, notesMax).map(({ name, place, state, what }) => (
          <li key={place}>
            <Badge of={state} />
            <Link href={place}>{name}</Link>
            <span className="soft">{what}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
