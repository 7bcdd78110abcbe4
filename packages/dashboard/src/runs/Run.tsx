/** One run as it goes: stages, spend against its budget, curves, logs. A rehearsal that succeeded waits here for a yes. */
import type { Run as RunAnswer, RunCreate } from "@limbeck/client"
import { Link, useLocation } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { Json } from "../parts/Json.tsx"
import { Notice, Text } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { Time } from "../parts/Time.tsx"
import { millis, opening, seconds, usd, wordOfState } from "../parts/Words.ts"
import { Curves } from "./Curves.tsx"
import { Logs } from "./Logs.tsx"
import { durationOf, isPart, nameOfStage } from "./StageWords.ts"

const ended = new Set(["succeeded", "failed", "canceled"])
const isMoving = ({ status }: { readonly status: string }) => !ended.has(status)

/** The live run of a rehearsal, with the identical plan. */
const liveOf = ({
  budget,
  compute,
  dataset_version,
  id,
  plan_hash,
  recipe,
  student_model_name
}: RunAnswer): RunCreate => ({
  dataset_version,
  // A run echoes its recipe as sent.
  recipe: recipe as unknown as RunCreate["recipe"],
  budget,
  compute: { profile: compute.profile },
  ...(student_model_name === null ? {} : { student_model_name }),
  dry_run: false,
  validated_dry_run: id,
  plan_hash
})

const Approval = ({ run }: { readonly run: RunAnswer }) => {
  const client = useClient()
  const { whoami } = useSession()
  const [, go] = useLocation()
  if (!run.dry_run || run.status !== "succeeded") return null
  if (!whoami.livemode)
    return (
      <p className="notice">
        The rehearsal succeeded. A test token's runs are all rehearsals: sign in with a live token to train.
      </p>
    )
  return (
    <Section
      title="The rehearsal succeeded"
      note="Nothing was spent. The live run does exactly this, and stops before it would cost more than its budget."
    >
      <Ask
        button="Start the live run…"
        tone="primary"
        title="Start the live run?"
        note={`It trains on ${run.compute.profile}, and may spend up to ${usd(run.budget.max_cost_usd)}.`}
        does={`Yes, spend up to ${usd(run.budget.max_cost_usd)}`}
        act={() => client.runs.create(liveOf(run))}
        done={({ id }) => go(`/runs/${id}`)}
      />
    </Section>
  )
}

const Retry = ({ run }: { readonly run: RunAnswer }) => {
  const client = useClient()
  const retry = (form: FormData) =>
    client.runs.retry(run.id, { budget: { max_cost_usd: Number(form.get("max_cost_usd")) } })
  return (
    <Ask
      button="Retry"
      tone="primary"
      title="Retry this run?"
      note="It resumes at the stage that did not succeed, and may spend again."
      does="Retry"
      act={retry}
    >
      <Input
        label="Budget, in US dollars"
        name="max_cost_usd"
        type="number"
        min="0"
        step="any"
        defaultValue={run.budget.max_cost_usd}
        required
      />
    </Ask>
  )
}

const Actions = ({ run }: { readonly run: RunAnswer }) => {
  const client = useClient()
  if (isMoving(run))
    return (
      <Ask
        button="Cancel"
        tone="danger"
        title="Cancel this run?"
        note="What was spent stays spent; it can be retried later."
        does="Cancel the run"
        act={() => client.runs.cancel(run.id)}
      />
    )
  if (run.status === "failed" || run.status === "canceled") return <Retry run={run} />
  return run.report === null ? null : (
    <Link className="button primary" href={`/reports/${run.report}`}>
      Read the report
    </Link>
  )
}

const Spend = ({ run }: { readonly run: RunAnswer }) => (
  <div className="figures">
    <Figure
      name="Spent"
      value={usd(run.totals.cost_usd)}
      note={
        <>
          <meter
            aria-label="Spent of the budget"
            min={0}
            max={run.budget.max_cost_usd || 1}
            value={run.totals.cost_usd}
          />{" "}
          of {usd(run.budget.max_cost_usd)}
        </>
      }
    />
    <Figure name="Machine" value={seconds(run.totals.gpu_seconds)} note={run.compute.profile} />
    <Figure name="Stage" value={nameOfStage(run.current_stage.kind)} note={wordOfState(run.current_stage.status)} />
  </div>
)

const Metrics = ({ of }: { readonly of: Readonly<Record<string, number>> }) => {
  const { more, shown } = usePortion(Object.entries(of), "figures")
  if (shown.length === 0) return "–"
  return (
    <>
      <ul className="metrics">
        {shown.map(([name, value]) => (
          <li key={name}>
            <bdi className="soft">{opening(name.replaceAll("_", " "))}</bdi> <bdi>{Number(value.toPrecision(4))}</bdi>
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

const Stages = ({ run }: { readonly run: RunAnswer }) => (
  <PlainTable
    caption="Stages"
    head={["Stage", "State", "Attempt", "Began", "Took", "Figures"]}
    rows={run.stages
      .filter(isPart)
      .map(({ attempt, error, finished_at, kind, metrics, seq, started_at, status }) => [
        `${seq}. ${nameOfStage(kind)}`,
        <Badge key="state" of={status} />,
        attempt,
        <Time key="began" at={started_at} />,
        millis(durationOf({ finished_at, started_at }, Date.now())),
        error === null ? (
          <Metrics key="metrics" of={metrics} />
        ) : (
          <Text key="error" label="the error" of={error.message} />
        )
      ])}
  />
)

const Warnings = ({ of }: { readonly of: ReadonlyArray<string> }) => {
  const { more, shown } = usePortion(of, "warnings")
  return (
    <>
      {shown.map((warning, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two warnings may be the same text
        <Notice key={at} of={warning} />
      ))}
      {more}
    </>
  )
}

const Shown = ({ run }: { readonly run: RunAnswer }) => (
  <>
    <Approval run={run} />
    {run.error !== null && <Notice of={run.error.message} />}
    <Warnings of={run.warnings} />
    <Spend run={run} />
    <Section title="Progress">
      <Stages run={run} />
      <Curves run={run} moves={isMoving(run)} />
    </Section>
    <Section title="Logs">
      <Logs run={run.id} moves={isMoving(run)} />
    </Section>
    <Section title="Plan">
      <Facts
        of={[
          [
            "Version",
            <Link key="version" href={`/data/versions/${run.dataset_version}`}>
              <code>{run.dataset_version}</code>
            </Link>
          ],
          [
            "Student",
            run.student_model === null ? (
              (run.student_model_name ?? "–")
            ) : (
              <Link key="student" href={`/students/${run.student_model}`}>
                {run.student_model_name ?? run.student_model}
              </Link>
            )
          ],
          ["Made", <Time key="made" at={run.created_at} />],
          ["Ended", <Time key="ended" at={run.finished_at} />],
          run.validated_dry_run === null
            ? null
            : [
                "Rehearsal",
                <Link key="rehearsal" href={`/runs/${run.validated_dry_run}`}>
                  <code>{run.validated_dry_run}</code>
                </Link>
              ],
          ["Plan hash", <code key="hash">{run.plan_hash}</code>]
        ]}
      />
      <details>
        <summary>The recipe as JSON</summary>
        <Json label="Recipe" of={run.recipe} />
      </details>
    </Section>
  </>
)

export default function Run({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["runs", id], () => client.runs.get(id), { moves: isMoving })
  const run = query.data
  return (
    <Page
      title={
        run === undefined ? "Run" : (run.name ?? run.student_model_name ?? (run.dry_run ? "Rehearsal" : "Live run"))
      }
      from={["/runs", "Runs"]}
      actions={
        run !== undefined && (
          <>
            <Badge of={run.status} /> <span className="badge even">{run.dry_run ? "rehearsal" : "live"}</span>{" "}
            <Actions run={run} />
          </>
        )
      }
    >
      <QueryContent query={query}>{(answer) => <Shown run={answer} />}</QueryContent>
    </Page>
  )
}
