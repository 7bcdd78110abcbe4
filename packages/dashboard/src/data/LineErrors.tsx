/** The lines of an upload or a pull that are no rows. */
import type { Upload } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"

export const LineErrors = ({ errors }: Pick<Upload, "errors">) =>
  errors.length > 0 && (
    <Section title="What was wrong">
      <PlainTable
        caption={`The first ${errors.length} lines with errors`}
        head={["Line", "Error"]}
        rows={errors.map(({ line, message }) => [line, message])}
      />
    </Section>
  )
