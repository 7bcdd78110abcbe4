/** How a deployment is set up, by names, and the button that changes it. */
import { isolated } from "@limbeck/api/report/ReportTitle"
import type { DeploymentWithFigures, StudentModel } from "@limbeck/client"
import { Link } from "wouter"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Placeholder, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { millis } from "../parts/Words.ts"
import { nameOf } from "../students/StudentWords.ts"
import { ChangeSettings, type NamedChoice, wordsOfFailure, wordsOfFields } from "./SettingsForm.tsx"

type Deployment = DeploymentWithFigures

/** The choices of a form; the present one that is not among them keeps its id as its name. */
const choicesWith = (names: ReadonlyArray<NamedChoice>, present: string | undefined): ReadonlyArray<NamedChoice> =>
  present === undefined || names.some(([id]) => id === present) ? names : [...names, [present, present]]

/** The last digits of an id tell students of the same name apart. */
const idDigits = 4

const choiceOf = (student: StudentModel): NamedChoice => [
  student.id,
  `${isolated(nameOf(student))} …${student.id.slice(-idDigits)}`
]

const Fallback = ({ fallback, sources }: Pick<Deployment, "fallback"> & { sources: ReadonlyArray<NamedChoice> }) => {
  if (fallback === null) return "none"
  const { below_confidence: threshold, model, source } = fallback
  const name = sources.find(([id]) => id === source)?.[1] ?? source
  return (
    <>
      <bdi>{model}</bdi> of <bdi>{name}</bdi>
      {threshold === null ? ", without a threshold" : `, below a confidence of ${threshold}`}
    </>
  )
}

export const SetUp = ({ deployment }: { readonly deployment: Deployment }) => {
  const client = useClient()
  const { fallback, student_model } = deployment
  const student = useAnswer(["students", student_model], () => client.studentModels.get(student_model))
  const list = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  const others = useList(["students", "choices"], (cursor) => client.studentModels.list({ limit: 100, ...cursor }))
  if (student.isPending || list.isPending || others.isPending) return <Placeholder />
  const names = list.items.map(({ id, name }): NamedChoice => [id, name])
  const sources = choicesWith(names, fallback?.source)
  const students = choicesWith(others.items.map(choiceOf), student_model)
  return (
    <Section title="Set-up">
      <Facts
        of={[
          ["Programs ask for", <code key="model">{deployment.model}</code>],
          [
            "Student",
            <Link key="student" href={`/students/${student_model}`}>
              {student.data === undefined ? <code>{student_model}</code> : <bdi>{nameOf(student.data)}</bdi>}
            </Link>
          ],
          ["Share for the student", `${deployment.traffic_percent} %`],
          ["Fallback", <Fallback key="fallback" fallback={fallback} sources={sources} />],
          ["When the fallback fails", wordsOfFailure[deployment.on_fallback_failure]],
          ["The student gives", wordsOfFields[deployment.fields]],
          ["Time limit", millis(deployment.timeout_ms)],
          ["Made", <Time key="made" at={deployment.created_at} />],
          ["Changed", <Time key="changed" at={deployment.updated_at} />],
          [
            "Its calls",
            <Link key="calls" href={`/calls?model=${encodeURIComponent(deployment.model)}`}>
              show
            </Link>
          ]
        ]}
      />
      <div className="actions">
        <ChangeSettings settings={deployment} sources={sources} students={students} />
      </div>
    </Section>
  )
}
