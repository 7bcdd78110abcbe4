/** One version: how many rows, which answers, how long; a look at the rows. */
import type { DatasetVersion, Page as PageOf } from "@limbeck/client"
import { useMemo } from "react"
import { Link } from "wouter"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import type { RowOpening } from "../large/Openings.ts"
import { useReader } from "../large/Reader.ts"
import { Badge } from "../parts/Badge.tsx"
import { Bars } from "../parts/Bars.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Notice } from "../parts/LongText.tsx"
import { Page, Placeholder, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, opening, share } from "../parts/Words.ts"
import { Export } from "./Export.tsx"
import { Questions } from "./Questions.tsx"
import { profileOf } from "./RowProfile.ts"
import { Suspects } from "./Suspects.tsx"

const columns: ReadonlyArray<Column<RowOpening>> = [
  { name: "Last message", width: "minmax(8rem, 3fr)", of: ({ prompt }) => prompt },
  { name: "Completion", width: "minmax(6rem, 2fr)", of: ({ completion }) => opening(completion) },
  { name: "Part", width: "6rem", of: ({ split }) => split, isMinor: true },
  { name: "Characters", width: "7rem", of: ({ characters }) => count(characters), isFigure: true, isMinor: true }
]

const Rows = ({ id }: { readonly id: string }) => {
  const { client } = useReader("rows")
  const list = useList(["versions", id, "rows"], (cursor) => {
    const pages: unknown = client.datasetVersions.rows(id, { limit: 100, ...cursor })
    // The reader leaves the opening of each row.
    return pages as { readonly page: () => Promise<PageOf<RowOpening>> }
  })
  const { labels, lengths } = useMemo(() => profileOf(list.items), [list.items])
  if (list.isPending) return <Placeholder />
  return (
    <>
      {labels.length > 0 && (
        <Section
          title="Answers"
          note={`In the ${count(list.items.length)} rows that were loaded below; scroll to load more.`}
        >
          <Bars
            label="How often each answer occurs"
            bars={labels.map(({ label, of }) => ({ name: opening(label, 60), of, what: share(of) }))}
          />
        </Section>
      )}
      <div className="figures">
        <Figure name="Shortest prompt" value={count(lengths.min)} note="characters" />
        <Figure name="Median prompt" value={count(lengths.median)} note="characters" />
        <Figure name="Longest prompt" value={count(lengths.max)} note="characters" />
      </div>
      <Section title="Rows">
        <ItemTable label="Rows" list={list} columns={columns} empty={<Empty title="No rows" />} />
      </Section>
    </>
  )
}

/** As in "Provider tool". */
const nameOf = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll("_", " ")}`

const Shown = ({ version }: { readonly version: DatasetVersion }) => (
  <>
    <Facts
      of={[
        ["Id", <code key="id">{version.id}</code>],
        ["State", <Badge key="state" of={version.status} />],
        ["Made", <Time key="made" at={version.created_at} />],
        ["Train rows", count(version.train_rows)],
        ["Holdout rows", count(version.holdout_rows)],
        ["Tokens", count(version.tokens)],
        ["Duplicates dropped", count(version.dropped.duplicates)],
        ["Rows that differ little", count(version.near_duplicates)],
        ["Invalid rows dropped", count(version.dropped.invalid)],
        ["Passages redacted", count(version.dropped.redactions)],
        ["Calls that cannot be a row", count(version.dropped.unsupported)],
        ...Object.entries(version.dropped_reasons).map(([reason, calls]) => [nameOf(reason), count(calls)] as const),
        [
          "Content (SHA-256)",
          version.content_sha256 === null ? "–" : <code key="digest">{version.content_sha256}</code>
        ]
      ]}
    />
    {version.warnings.map((warning) => (
      <Notice key={warning} of={warning} />
    ))}
    <Questions questions={version.questions} />
    {version.error !== null && <Notice of={version.error.message} />}
    {version.status === "ready" && version.questions.length === 0 && <Suspects version={version} />}
    {version.status === "ready" && <Rows id={version.id} />}
  </>
)

export default function Version({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["versions", id], () => client.datasetVersions.get(id), {
    moves: ({ status }) => status === "building"
  })
  const actions =
    query.data?.status === "ready" ? (
      <>
        <Export version={id} />
        <Link className="button primary" href={`/runs/new/${id}`}>
          Propose a student
        </Link>
      </>
    ) : undefined
  return (
    <Page title="Dataset version" from={["/data", "Data"]} {...(actions === undefined ? {} : { actions })}>
      <QueryContent query={query}>{(version) => <Shown version={version} />}</QueryContent>
    </Page>
  )
}
