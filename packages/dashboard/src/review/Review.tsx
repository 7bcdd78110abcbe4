/** A review queue: judges one answer after the other, by keyboard. */
import type { ReviewQueue, ReviewTurn } from "@limbeck/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { useAnswer } from "../app/Queries.ts"
import { useClient, useMayWrite } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Figure } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { count, quantity, share } from "../parts/Words.ts"
import { AnswerReview, type Entry } from "./AnswerReview.tsx"

type Verdict = "right" | "wrong" | "skip" | "correction"

/** The reviewer's current entry, with actions for verdict and undo. A pending request blocks further actions. */
const useTurns = (id: string) => {
  const client = useClient()
  const queries = useQueryClient()
  const key = ["review", id]
  // Each request renews the lease, and the entry stays the same.
  const query = useAnswer<ReviewTurn>(key, () => client.reviewQueues.next(id), { refetchOnWindowFocus: false })
  const press = useMutation({
    mutationFn: (send: () => Promise<ReviewTurn>) => send(),
    onSuccess: (turn) => queries.setQueryData(key, turn),
    // Somebody else may have the entry by now.
    onError: () => query.refetch()
  })
  const send = (act: () => Promise<ReviewTurn>) => {
    if (!press.isPending) press.mutate(act)
  }
  return {
    query,
    error: press.error,
    judge: (entry: number, verdict: Verdict, answer?: string) =>
      send(() => client.reviewQueues.judge(id, { entry, verdict, ...(answer === undefined ? {} : { answer }) })),
    undo: (entry: number) => send(() => client.reviewQueues.undo(id, { entry }))
  }
}

type Turns = ReturnType<typeof useTurns>

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/** What each key does; digits choose among the first nine other answers. */
const actionOf = (key: string, { entry, last }: ReviewTurn, { judge, undo }: Turns): (() => void) | undefined => {
  if (key === "u") return last === null ? undefined : () => undo(last)
  if (entry === null) return undefined
  if (key === "y") return () => judge(entry.entry, "right")
  if (key === "n") return () => judge(entry.entry, "wrong")
  if (key === "s") return () => judge(entry.entry, "skip")
  const label = othersOf(entry)[Number(key) - 1]
  return label === undefined ? undefined : () => judge(entry.entry, "correction", label)
}

const othersOf = ({ answer, labels }: Entry): ReadonlyArray<string> =>
  labels.filter((label) => label !== answer).slice(0, 9)

const useKeys = (turn: ReviewTurn | undefined, turns: Turns, isActive: boolean) => {
  useEffect(() => {
    if (turn === undefined || !isActive) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event)) return
      const act = actionOf(event.key.toLowerCase(), turn, turns)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  })
}

const People = ({ agreement, people }: Pick<ReviewQueue, "agreement" | "people">) => (
  <Section
    title="People"
    note={
      agreement.pairs === 0
        ? "Some entries are judged by two people, so that their agreement is known."
        : `Two people say the same on ${count(agreement.agreed)} of ${quantity(agreement.pairs, "entry", "entries")} (${share(agreement.value)}).`
    }
  >
    <PlainTable
      caption="Verdicts by person"
      head={["Who", "Verdicts", "Skipped", "A minute"]}
      rows={people.map(({ by, per_minute, skipped, verdicts }) => [
        <code key="who">{by.id ?? by.kind}</code>,
        count(verdicts),
        count(skipped),
        count(per_minute)
      ])}
    />
  </Section>
)

const Actions = ({ turn, turns }: { readonly turn: ReviewTurn; readonly turns: Turns }) => {
  const { entry, last } = turn
  const mayWrite = useMayWrite()
  const button = (key: string, name: string) => {
    const act = actionOf(key, turn, turns)
    return (
      <button type="button" aria-keyshortcuts={key} disabled={act === undefined || !mayWrite} onClick={act}>
        {name} <kbd>{key}</kbd>
      </button>
    )
  }
  return (
    <p className="actions">
      {entry !== null && button("y", "Right")}
      {entry !== null && button("n", "Wrong")}
      {entry !== null && button("s", "Skip")}
      {last !== null && button("u", "Undo")}
    </p>
  )
}

const Shown = ({ turn, turns }: { readonly turn: ReviewTurn; readonly turns: Turns }) => {
  const { entry, left, queue } = turn
  return (
    <>
      <div className="figures">
        <Figure name="Judged" value={count(queue.judged)} note={`of ${quantity(queue.entries, "entry", "entries")}`} />
        <Figure name="Left for you" value={count(left)} />
      </div>
      {entry === null ? (
        <Empty title="Nothing is left to judge" />
      ) : (
        <AnswerReview
          entry={entry}
          others={othersOf(entry)}
          choose={(answer) => turns.judge(entry.entry, "correction", answer)}
        />
      )}
      <Actions turn={turn} turns={turns} />
      <Failure error={turns.error} />
      <People {...queue} />
    </>
  )
}

const fromOf = ({ dataset_version, deployment }: ReviewQueue): readonly [string, string] =>
  deployment === null
    ? [`/data/versions/${dataset_version}`, "Dataset version"]
    : [`/deployments/${deployment}`, "Deployment"]

export default function Review({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const turns = useTurns(id)
  const turn = turns.query.data
  const mayWrite = useMayWrite()
  useKeys(turn, turns, mayWrite)
  return (
    <Page title="Review" from={turn === undefined ? ["/data", "Data"] : fromOf(turn.queue)}>
      <QueryContent query={turns.query}>{(answer) => <Shown turn={answer} turns={turns} />}</QueryContent>
    </Page>
  )
}
