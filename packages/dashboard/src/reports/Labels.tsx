/** Where the student is right and wrong, label by label. */
import type { Report } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { opening, share } from "../parts/Words.ts"
import { ConfusionMatrix } from "./ConfusionMatrix.tsx"

export const Labels = ({ advice }: Pick<Report, "advice">) =>
  advice === null || advice.labels.length === 0 ? null : (
    <Section title="Label by label">
      <ConfusionMatrix labels={advice.labels} confusions={advice.confusions} />
      <PlainTable
        caption="Precision: of what the student calls so, how much is. Recall: of what is so, how much it finds."
        head={["Label", "Rows", "Precision", "Recall"]}
        rows={advice.labels.map(({ label, precision, recall, support }) => [
          opening(label, 80),
          support,
          share(precision),
          share(recall)
        ])}
      />
    </Section>
  )
