/** How a deployment is set up, by names, and the button that changes it. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { Link } from "wouter"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Placeholder, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { millis } from "../parts/Words.ts"
import { nameOf } from "../students/StudentWords.ts"
import { ChangeSettings, type SourceName } from "./SettingsForm.tsx"

type Deployment = DeploymentWithFigures

/** The sources of the workspace; a fallback's source that is not among them keeps its id. */
const namesOf = (
  sources: ReadonlyArray<{ readonly id: string; readonly name: string }>,
  fallback: Deployment["fallback"]
): ReadonlyArray<SourceName> => {
  const names = sources.map(({ id, name }): SourceName => [id, name])
  return fallback === null || names.some(([id]) => id === fallback.source)
    ? names
    : [...names, [fallback.source, fallback.source]]
}

const Fallback = ({ fallback, sources }: Pick<Deployment, "fallback"> & { sources: ReadonlyArray<SourceName> }) => {
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
  if (student.isPending || list.isPending) return <Placeholder />
  const sources = namesOf(list.items, fallback)
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
        <ChangeSettings settings={deployment} sources={sources} />
      </div>
    </Section>
  )
}
