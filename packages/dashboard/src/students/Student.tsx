/** One student: its origin, its address, and its quality. */
import type { StudentModel } from "@limbeck/client"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Deploy, recommendationHint } from "../deployments/Deploy.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, share, usd } from "../parts/Words.ts"
import { Evaluate } from "./Evaluate.tsx"
import { Questions } from "./Questions.tsx"
import { nameOf, originOf } from "./StudentWords.ts"

const linkTo = (place: string, id: string | null) =>
  id === null ? (
    "–"
  ) : (
    <Link href={`${place}/${id}`}>
      <code>{id}</code>
    </Link>
  )

const Origin = ({ student }: { readonly student: StudentModel }) => (
  <Section title="Where it comes from">
    <Facts
      of={[
        ["Id", <code key="id">{student.id}</code>],
        ["Trained", originOf(student)],
        ["Base model", student.base],
        ["Run", linkTo("/runs", student.run)],
        ["Report", linkTo("/reports", student.report)],
        ["Dataset version", linkTo("/data/versions", student.dataset_version)],
        ["Made", <Time key="made" at={student.created_at} />]
      ]}
    />
  </Section>
)

/** What was not told has no price. */
const priceOf = (price: number | null) => (price === null ? "not told" : `${usd(price)} for a million tokens`)

const Endpoint = ({ endpoint }: Pick<StudentModel, "endpoint">) =>
  endpoint === null ? null : (
    <Section title="Where it answers">
      <Facts
        of={[
          ["Address", <code key="address">{endpoint.base_url}</code>],
          ["Model", endpoint.model],
          ["Key", endpoint.api_key_last4 === null ? "none that is shown" : `ends with ${endpoint.api_key_last4}`],
          ["Price of input", priceOf(endpoint.input_per_million)],
          ["Price of output", priceOf(endpoint.output_per_million)]
        ]}
      />
    </Section>
  )

const Artifact = ({ artifact, executor }: Pick<StudentModel, "artifact" | "executor">) =>
  artifact === null ? null : (
    <Section title="Its model">
      <Facts
        of={[
          ["Kept as", artifact.format],
          ["Size", bytes(artifact.bytes)],
          ["Made by", executor],
          ["Content (SHA-256)", <code key="digest">{artifact.sha256}</code>]
        ]}
      />
    </Section>
  )

/** Deploys an evaluated student at the threshold that its report recommends. */
const DeployAsRecommended = ({ report, student }: { readonly report: string; readonly student: StudentModel }) => {
  const client = useClient()
  const { data, isPending } = useAnswer(["reports", report], () => client.reports.get(report))
  const threshold = data?.recommendation?.threshold ?? null
  return (
    // The button is disabled until the report has loaded: the page head keeps its size.
    <Deploy
      student={student.id}
      name={nameOf(student)}
      threshold={threshold}
      hint={data === undefined ? "Its report did not load" : recommendationHint(threshold)}
      disabled={isPending}
    />
  )
}

export default function Student({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["students", id], () => client.studentModels.get(id))
  return (
    <Page
      title={query.data === undefined ? "Student" : nameOf(query.data)}
      from={["/students", "Students"]}
      actions={
        query.data !== undefined && (
          <>
            <Evaluate student={query.data} />
            {query.data.report === null ? (
              <Deploy
                student={id}
                name={nameOf(query.data)}
                hint="It has no report yet: evaluate it for a recommendation"
              />
            ) : (
              <DeployAsRecommended report={query.data.report} student={query.data} />
            )}
          </>
        )
      }
    >
      <QueryContent query={query}>
        {(student) => (
          <>
            <div className="figures">
              <Figure
                name="Agreement"
                value={share(student.accuracy)}
                note={student.report === null ? "it was not evaluated yet" : "in its latest evaluation"}
              />
            </div>
            <Questions questions={student.questions} />
            <Origin student={student} />
            <Endpoint endpoint={student.endpoint} />
            <Artifact {...student} />
          </>
        )}
      </QueryContent>
    </Page>
  )
}
