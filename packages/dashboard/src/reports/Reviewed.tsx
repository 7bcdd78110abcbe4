/** Student and teacher against what reviewers said. */
import type { Report } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { between, counted, share } from "../parts/Words.ts"

export const Reviewed = ({ reviewed }: Pick<Report, "reviewed">) =>
  reviewed === null ? null : (
    <Section
      title="By reviewers"
      note={
        `Of ${counted(reviewed.rows, "row")} that reviewers judged, the student alone is right in ${reviewed.wins}, ` +
        `the teacher alone in ${reviewed.losses}.`
      }
    >
      <PlainTable
        caption="Right by what reviewers said"
        head={["Who", "Right", "Rows", "Interval", "Not known"]}
        rows={[
          [
            "Student",
            share(reviewed.student.value),
            reviewed.student.correct,
            between(reviewed.student.interval, share),
            reviewed.student.undecided
          ],
          [
            "Teacher",
            share(reviewed.teacher.value),
            reviewed.teacher.correct,
            between(reviewed.teacher.interval, share),
            0
          ]
        ]}
      />
    </Section>
  )
