/** Trains a deployment's student again, after saying what that would read and spend. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { count, usd } from "../parts/Words.ts"

type Deployment = Pick<DeploymentWithFigures, "figures" | "id" | "student_model">

/** The rows and the run of a student; null for one that was trained elsewhere. */
const useTraining = (student: string) => {
  const client = useClient()
  const read = async () => {
    const { dataset_version: version, run } = await client.studentModels.get(student)
    if (run === null || version === null) return null
    const [{ rows }, { budget }] = await Promise.all([client.datasetVersions.get(version), client.runs.get(run)])
    return { rows, budget: budget.max_cost_usd }
  }
  return useAnswer(["students", student, "training"], read).data
}

const noteOf = (
  training: ReturnType<typeof useTraining>,
  { student, ...others }: Deployment["figures"]["calls"]
): string => {
  if (training === undefined) return "The rows that it learnt from are being counted."
  if (training === null) return "This student was trained elsewhere: there are no rows here to train it with again."
  const asked = Object.values(others).reduce((sum, calls) => sum + calls, 0)
  return (
    `It reads ${count(asked)} calls that others answered, verifications of ${count(student)} answers of the student, and the ` +
    `${count(training.rows)} rows that it learnt from; the last run might spend ${usd(training.budget)}. The new student becomes ` +
    "a challenger in shadow, in place of another one there. It answers nobody until you activate it."
  )
}

/** The button appears with the page, so that the buttons beside it do not move. */
export const Retrain = ({ deployment: { figures, id, student_model } }: { readonly deployment: Deployment }) => {
  const client = useClient()
  const training = useTraining(student_model)
  return (
    <Ask
      button="Retrain"
      title="Train the student again on the calls of this deployment?"
      note={noteOf(training, figures.calls)}
      does="Retrain"
      act={(form) => client.deployments.retrain(id, { budget: { max_cost_usd: Number(form.get("max_cost_usd")) } })}
      shows={(run) => (
        <p>
          The run <Link href={`/runs/${run.id}`}>{run.id}</Link> waits for its rows.
        </p>
      )}
    >
      <Input
        label="Budget in US dollars"
        name="max_cost_usd"
        type="number"
        min="0"
        step="any"
        defaultValue={training?.budget}
        required
      />
    </Ask>
  )
}
