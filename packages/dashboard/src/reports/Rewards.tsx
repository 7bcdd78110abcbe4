/** Scores of student and teacher by reward. */
import type { Report } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { between, score } from "../parts/Words.ts"

export const Rewards = ({ rewards }: Pick<Report, "rewards">) =>
  rewards.length === 0 ? null : (
    <Section title="Scores" note="Means over the holdout, with their intervals at 95 %.">
      <PlainTable
        caption="By reward"
        head={["Reward", "Student", "Interval", "Teacher", "Interval", "Wins", "Ties", "Losses"]}
        rows={rewards.map(({ interval, losses, name, student, teacher, teacher_interval, ties, wins }) => [
          name,
          score(student),
          between(interval, score),
          score(teacher),
          between(teacher_interval, score),
          wins,
          ties,
          losses
        ])}
      />
    </Section>
  )
