/** The train rows of a version whose answers look wrong, and the share of prompts with several answers. */
import type { DatasetVersion, Suspect } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Figure } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Neighbours } from "../parts/Neighbours.tsx"
import { Placeholder, Section } from "../parts/Page.tsx"
import { count, opening, quantity, score, share } from "../parts/Words.ts"
import { StartReview } from "../review/StartReview.tsx"
import { RelabelFigures, RelabelForm } from "./Relabel.tsx"

/** The contract leaves a row's members open. */
const lastMessage = ({ row }: Suspect): string => {
  const messages: unknown = row["messages"]
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return typeof last === "object" && last !== null && "content" in last ? opening(last.content) : ""
}

const columns: ReadonlyArray<Column<Suspect>> = [
  { name: "Last message", width: "minmax(8rem, 3fr)", of: lastMessage },
  { name: "Answer", width: "minmax(6rem, 1fr)", of: ({ answer }) => answer },
  { name: "Suggested", width: "minmax(6rem, 1fr)", of: ({ suggested }) => suggested },
  {
    name: "Teacher",
    width: "7rem",
    of: ({ relabel }) => relabel?.outcome.replace("_", " ") ?? "–",
    isMinor: true
  },
  { name: "Margin", width: "6rem", of: (suspect) => score(suspect.score), isFigure: true, isMinor: true }
]

const First = ({ suspect }: { readonly suspect: Suspect }) => (
  <>
    <p>
      The first: <bdi>{lastMessage(suspect)}</bdi> is answered <bdi>{suspect.answer}</bdi>;{" "}
      <bdi>{suspect.suggested}</bdi> has a confidence of {share(suspect.confidence)}.
    </p>
    <Neighbours of={suspect.neighbours} />
  </>
)

const Contradictions = ({
  contradictions: { agreement_max, rows, share: part }
}: Pick<DatasetVersion, "contradictions">) => (
  <div className="figures">
    <Figure name="Rows whose prompt has several answers" value={share(part)} note={quantity(rows, "row")} />
    <Figure name="Agreement at most" value={share(agreement_max)} note="of any student of these rows" />
  </div>
)

export const Suspects = ({ version }: { readonly version: DatasetVersion }) => {
  const client = useClient()
  const { id } = version
  const list = useList(["versions", id, "suspects"], (cursor) =>
    client.datasetVersions.suspects(id, { limit: 20, ...cursor })
  )
  if (list.isPending) return <Placeholder />
  const [first] = list.items
  const { corrected, dropped } = version.reviewed
  return (
    <Section
      title="Answers that look wrong"
      note={
        list.isError
          ? "Nobody has examined the rows: make a version with `clean`, or train the builtin student."
          : "A model that had not learnt from the row finds another answer more probable."
      }
    >
      <Contradictions {...version} />
      <RelabelFigures {...version} />
      {corrected + dropped > 0 && (
        <p>
          People corrected {quantity(corrected, "row")}; {quantity(dropped, "wrong row")} without a right answer were
          left out.
        </p>
      )}
      <p className="actions">
        {first !== undefined && (
          <StartReview button="Review suspects" subject={{ dataset_version: id, of: "suspects" }} />
        )}
        {first !== undefined && (
          <RelabelForm version={version} suspects={version.cleaning?.suspects ?? list.items.length} />
        )}
        {version.holdout_rows > 0 && (
          <StartReview
            button={`Review ${count(Math.min(100, version.holdout_rows))} holdout rows`}
            subject={{ dataset_version: id, of: "holdout" }}
          />
        )}
      </p>
      {first !== undefined && <First suspect={first} />}
      {list.isSuccess && (
        <ItemTable label="Suspects" list={list} columns={columns} empty={<Empty title="No answer looks wrong" />} />
      )}
    </Section>
  )
}
