/** An operation that waits for the person: its plan, the most that it costs, and two buttons. */
import { useSession } from "../app/Session.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { usd } from "../parts/Words.ts"
import { type Operation, path } from "./Conversation.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** The most that the operation spends, as its body says. */
const costOf = (body: Fields): string => {
  const most = fieldsOf(body["budget"])["max_cost_usd"]
  if (typeof most === "number") return `at most ${usd(most)}`
  const amount = body["amount_usd"]
  return typeof amount === "number" ? `${usd(amount)} are added to the balance` : "the operation names no budget"
}

/** The members of path, query and body; a recipe by its student and stages. */
const planOf = (input: unknown): ReadonlyArray<readonly [string, string]> => {
  const { body, path: place, query } = fieldsOf(input)
  // The cost has a line of its own.
  const { amount_usd: _amount, budget: _budget, recipe, ...others } = fieldsOf(body)
  const { stages, student_model: student } = fieldsOf(recipe)
  const kinds = Array.isArray(stages) ? stages.map((stage) => textOf(fieldsOf(stage)["kind"])) : []
  return [
    ...Object.entries({ ...fieldsOf(place), ...fieldsOf(query), ...others }).map(
      ([name, value]) => [name.replaceAll("_", " "), textOf(value)] as const
    ),
    ...(recipe === undefined ? [] : [["recipe", `${textOf(student)}: ${kinds.join(", ")}`] as const])
  ]
}

interface Props {
  readonly conversation: string
  readonly of: Operation
}

export const Approval = ({ conversation, of: { call, input, operation } }: Props) => {
  const { ask } = useSession()
  const decide = (approve: boolean) => () => ask("POST", `${path}/${conversation}/decisions`, { call, approve })
  const { body } = fieldsOf(input)
  return (
    <section className="approval" aria-label={`Approve ${operation}?`}>
      <p>
        <strong>{operation}</strong> waits for you. It runs with your role, and only after you approve.
      </p>
      <Facts of={[...planOf(input), ["cost", costOf(fieldsOf(body))]]} />
      <div className="actions">
        <Do button="Approve" tone="primary" act={decide(true)} />
        <Do button="Refuse" act={decide(false)} />
      </div>
    </section>
  )
}
