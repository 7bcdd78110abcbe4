/** Where answers are JSON: each field by itself. */
import type { Report } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { between, opening, share } from "../parts/Words.ts"

export const Fields = ({ advice }: Pick<Report, "advice">) => {
  const fields = advice?.fields ?? []
  return fields.length === 0 ? null : (
    <Section title="Field by field">
      <PlainTable
        caption="How often student and teacher give a field the same value, and what always its most frequent value would do."
        head={["Field", "Agreement", "Interval", "Most frequent value", "Its share"]}
        rows={fields.map(({ agreement, field, interval, most_frequent }) => [
          field,
          share(agreement),
          between(interval, share),
          opening(most_frequent.answer, 80),
          share(most_frequent.share)
        ])}
      />
    </Section>
  )
}
