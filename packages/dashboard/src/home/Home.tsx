/** The loop as one picture, and the next step. */
import type { Deployment } from "@limbeck/client"
import { useQueries } from "@tanstack/react-query"
import { Link } from "wouter"
import { liveMillis } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Figure } from "../parts/Facts.tsx"
import { Page, Placeholder, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, share, usd } from "../parts/Words.ts"
import { Attention } from "./Attention.tsx"
import * as CallFigures from "./CallFigures.ts"
import { FirstSteps } from "./FirstSteps.tsx"
import { type Loop, useLoop } from "./Loop.ts"
import { Money, useMetrics } from "./Money.tsx"

const countOf = ({ hasNextPage, items }: { readonly hasNextPage: boolean; readonly items: ReadonlyArray<unknown> }) =>
  `${items.length}${hasNextPage ? "+" : ""}`

/** The total figures of ready deployments. */
const useFigures = (deployments: ReadonlyArray<Deployment>) => {
  const client = useClient()
  const answers = useQueries({
    queries: deployments
      .filter(({ status }) => status === "ready")
      .map(({ id }) => ({
        queryKey: ["deployments", id],
        queryFn: () => client.deployments.get(id),
        refetchInterval: 5 * liveMillis
      }))
  })
  const isPending = answers.some((answer) => answer.isPending)
  const figures = answers.flatMap(({ data }) => (data === undefined ? [] : [data.figures]))
  const sum = (of: (figure: (typeof figures)[number]) => number) =>
    figures.reduce((total, figure) => total + of(figure), 0)
  const student = sum(({ calls }) => calls.student)
  const all = sum(({ calls }) => calls.student + calls.upstream + calls.upstream_fallback + calls.mixed)
  const isSavingUnknown = figures.length > 0 && figures.every(({ cost_saved_usd }) => cost_saved_usd === null)
  const saved = isSavingUnknown ? null : sum(({ cost_saved_usd }) => cost_saved_usd ?? 0)
  return { isPending, all, student, saved }
}

interface StepProps {
  readonly place: string
  readonly name: string
  readonly value: string
  readonly children: React.ReactNode
}

const Step = ({ children, name, place, value }: StepProps) => (
  <li>
    <Link href={place}>
      <span className="figure-name">{name}</span>
      <span className="figure-value">{value}</span>
      <span className="soft">{children}</span>
    </Link>
  </li>
)

type Figures = ReturnType<typeof useFigures>

interface CallsProps {
  readonly loop: Loop
  readonly captured: number | undefined
}

const Calls = ({ captured, loop }: CallsProps) => {
  const [call] = loop.calls.items
  if (call === undefined)
    return (
      <Step place="/calls" name="Calls" value="none">
        nothing captured yet
      </Step>
    )
  return (
    <Step place="/calls" name="Calls" value={captured === undefined ? "captured" : count(captured)}>
      {captured !== undefined && `captured in ${CallFigures.ranges.month.name}, `}
      last: <Time at={call.created_at} />
    </Step>
  )
}

const Picture = ({ captured, figures, loop }: CallsProps & { readonly figures: Figures }) => {
  const [run] = loop.runs.items
  const student = loop.students.items.find(({ accuracy }) => accuracy !== null)
  const serving = loop.deployments.items.filter(({ status }) => status === "ready")
  return (
    <ol className="loop" aria-label="The loop">
      <Calls loop={loop} captured={captured} />
      <Step place="/data" name="Datasets" value={countOf(loop.datasets)}>
        {loop.datasets.items[0]?.name ?? "from calls or files"}
      </Step>
      <Step place="/runs" name="Runs" value={countOf(loop.runs)}>
        {run === undefined ? (
          "none yet"
        ) : (
          <>
            last: <Badge of={run.status} />
          </>
        )}
      </Step>
      <Step place="/students" name="Students" value={countOf(loop.students)}>
        {student === undefined ? "none evaluated yet" : `agreement ${share(student.accuracy)}`}
      </Step>
      <Step
        place="/deployments"
        name="Served by students"
        value={figures.all === 0 ? "–" : share(figures.student / figures.all)}
      >
        {serving.length === 0 ? "nothing deployed" : serving.map(({ model }) => model).join(", ")}
      </Step>
    </ol>
  )
}

const Saved = ({ all, saved, student }: Figures) => {
  if (all === 0) return null
  return (
    <Section title="What it has brought">
      <div className="figures">
        <Figure
          name="Money saved"
          value={usd(saved)}
          note={
            saved === null
              ? "unknown: the source states no prices for the model"
              : "what the same calls cost upstream on the average"
          }
        />
        <Figure name="Calls answered by students" value={count(student)} note={`of ${count(all)}`} />
      </div>
    </Section>
  )
}

export default function Home() {
  const loop = useLoop()
  const figures = useFigures(loop.deployments.items)
  const metrics = useMetrics("month")
  const { whoami } = useSession()
  const captured = metrics.data && CallFigures.totalsOf(metrics.data.rows).calls
  const isPending = figures.isPending || metrics.isPending || Object.values(loop).some((list) => list.isPending)
  return (
    <Page title={whoami.workspace.name}>
      {isPending ? (
        <Placeholder />
      ) : (
        <>
          <Money />
          <Picture loop={loop} captured={captured} figures={figures} />
          <Saved {...figures} />
          <Attention loop={loop} />
          <FirstSteps loop={loop} />
        </>
      )}
    </Page>
  )
}
