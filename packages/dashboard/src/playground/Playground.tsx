/** The playground: one question to an alias, its teacher and other models, side by side. */
import { type FormEvent, useState } from "react"
import { Link } from "wouter"
import { useAction, useAnswer, useList } from "../app/Queries.ts"
import { useClient, useMayWrite, useSession } from "../app/Session.tsx"
import { Field, Input, Select } from "../parts/Ask.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Failure } from "../parts/Failure.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"
import { Page, Placeholder } from "../parts/Page.tsx"
import { Answer } from "./Answer.tsx"
import type { ProxyAccess, Question } from "./Asking.ts"
import { firstPair, type NamedTarget, targetsOf } from "./Targets.ts"
import { useAccess } from "./useAccess.ts"

interface Round {
  readonly number: number
  readonly question: Question
  readonly targets: ReadonlyArray<NamedTarget>
}

const slots = ["Ask", "Beside it", "And"] as const

/** Characters of a question. */
const textMax = 100_000

const useTargets = () => {
  const client = useClient()
  const deployments = useList(["deployments"], (cursor) => client.deployments.list({ limit: 50, ...cursor }))
  const models = useAnswer(["sources", "catalog"], () => client.sources.models().all())
  const sources = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  const queries = [deployments, models, sources]
  const nameOf = (id: string) => sources.items.find((source) => source.id === id)?.name ?? id
  const targets = targetsOf(deployments.items, models.data ?? [])
  return {
    targets,
    first: firstPair(deployments.items, targets, nameOf),
    isPending: queries.some((query) => query.isPending),
    failed: queries.find((query) => query.isError)
  }
}

/** A session's press opens the way to the proxy. */
const Opening = ({ open }: { readonly open: (maxCostUsd: number) => Promise<void> }) => {
  const { as } = useSession()
  const mayWrite = useMayWrite()
  const opened = useAction(open)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    opened.mutate(numberOf(new FormData(event.currentTarget), "max_cost_usd") ?? 0)
  }
  return (
    <form className="card stack" onSubmit={submit}>
      <p>
        Questions go through the proxy: they cost what its models cost, and are captured with the tag{" "}
        <code>playground</code>.
      </p>
      {as.kind === "session" && (
        <Input
          label="At most, in US dollars"
          name="max_cost_usd"
          type="number"
          min="0"
          step="any"
          defaultValue="1"
          required
          hint="Of a token that is made for this page, and ends with it or after an hour"
        />
      )}
      <button type="submit" className="primary" disabled={!mayWrite || opened.isPending}>
        Open the playground
      </button>
      <Failure error={opened.error} />
    </form>
  )
}

interface QuestionFormProps {
  readonly targets: ReadonlyArray<NamedTarget>
  readonly first: readonly [string, string]
  readonly send: (question: Question, targets: ReadonlyArray<NamedTarget>) => void
}

const QuestionForm = ({ first, send, targets }: QuestionFormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const keys = new Set(slots.map((slot) => textOf(form, slot)))
    const question = { system: textOf(form, "system"), text: textOf(form, "text") }
    send(
      question,
      targets.filter(({ key }) => keys.has(key))
    )
  }
  const options = targets.map(({ key, name }) => [key, name] as const)
  return (
    <form className="card stack" onSubmit={submit}>
      <div className="filter">
        {slots.map((slot, at) => (
          <Select
            key={slot}
            label={slot}
            name={slot}
            defaultValue={first[at] ?? ""}
            options={at === 0 ? options : [["", "nobody"], ...options]}
          />
        ))}
      </div>
      <Field label="System">{(field) => <textarea {...field} name="system" rows={2} maxLength={textMax} />}</Field>
      <Field label="Question">
        {(field) => <textarea {...field} name="text" rows={4} required maxLength={textMax} />}
      </Field>
      <button type="submit" className="primary">
        Ask
      </button>
    </form>
  )
}

const Opened = ({ access }: { readonly access: ProxyAccess }) => {
  const { failed, first, isPending, targets } = useTargets()
  const [round, setRound] = useState<Round | null>(null)
  if (failed !== undefined) return <Failure error={failed.error} again={() => failed.refetch()} />
  if (isPending) return <Placeholder />
  if (targets.length === 0)
    return (
      <Empty title="There is nobody to ask">
        <Link href="/sources">Add a source</Link> with a model first.
      </Empty>
    )
  return (
    <>
      <QuestionForm
        targets={targets}
        first={first}
        send={(question, wanted) => setRound({ number: (round?.number ?? 0) + 1, question, targets: wanted })}
      />
      {round !== null && (
        <div className="side-by-side">
          {round.targets.map((target) => (
            <Answer
              key={`${round.number} ${target.key}`}
              access={access}
              name={target.name}
              target={target}
              question={round.question}
            />
          ))}
        </div>
      )}
    </>
  )
}

export default function Playground() {
  const { access, open } = useAccess()
  return <Page title="Playground">{access === null ? <Opening open={open} /> : <Opened access={access} />}</Page>
}
