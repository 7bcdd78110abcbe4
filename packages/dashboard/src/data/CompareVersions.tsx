/** Two versions side by side: their figures with differences, and how often each answer occurs. */
import type { Client, DatasetVersion } from "@limbeck/client"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import type { RowOpening } from "../large/Openings.ts"
import { useReader } from "../large/Reader.ts"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Time } from "../parts/Time.tsx"
import { count, opening, share } from "../parts/Words.ts"
import { profileOf } from "./RowProfile.ts"

const figures: ReadonlyArray<readonly [name: string, of: (version: DatasetVersion) => number | null]> = [
  ["Train rows", ({ train_rows }) => train_rows],
  ["Holdout rows", ({ holdout_rows }) => holdout_rows],
  ["Tokens", ({ tokens }) => tokens],
  ["Duplicates dropped", ({ dropped }) => dropped.duplicates],
  ["Rows that differ little", ({ near_duplicates }) => near_duplicates],
  ["Invalid rows dropped", ({ dropped }) => dropped.invalid],
  ["Passages redacted", ({ dropped }) => dropped.redactions],
  ["Calls that cannot be a row", ({ dropped }) => dropped.unsupported]
]

const signed = (value: number): string => (value > 0 ? `+${count(value)}` : count(value))

const difference = (one: number | null, other: number | null): string =>
  one === null || other === null ? "–" : signed(other - one)

type Row = readonly [name: string, one: ReactNode, other: ReactNode, difference: ReactNode]

const rowsOf = (one: DatasetVersion, other: DatasetVersion): ReadonlyArray<Row> => [
  ["Made", <Time key="one" at={one.created_at} />, <Time key="other" at={other.created_at} />, ""],
  ["From", Object.keys(one.from).join(", "), Object.keys(other.from).join(", "), ""],
  ...figures.map(([name, of]): Row => [name, count(of(one)), count(of(other)), difference(of(one), of(other))])
]

/** Pages of a hundred rows: enough for the shares of answers to a few percent. */
const pagesMax = 5

const readRows = async (client: Client, id: string): Promise<ReadonlyArray<RowOpening>> => {
  const rows: Array<RowOpening> = []
  let cursor: string | null = null
  for (let page = 0; page < pagesMax && (page === 0 || cursor !== null); page++) {
    const read = await client.datasetVersions.rows(id, { limit: 100, ...(cursor === null ? {} : { cursor }) }).page()
    // The reader leaves the opening of each row.
    rows.push(...(read.data as unknown as ReadonlyArray<RowOpening>))
    cursor = read.has_more ? read.next_cursor : null
  }
  return rows
}

interface Sides {
  readonly left: string
  readonly right: string
}

/** Hidden where nearly every row has an answer of its own. */
const Answers = ({ left, right }: Sides) => {
  const { client } = useReader("rows")
  const query = useAnswer(["versions", "answers", left, right], async () => {
    const [one, other] = await Promise.all([readRows(client, left), readRows(client, right)])
    return [profileOf(one).labels, profileOf(other).labels] as const
  })
  return (
    <QueryContent query={query}>
      {([one, other]) => {
        const [inOne, inOther] = [one, other].map((labels) => new Map(labels.map(({ label, of }) => [label, of])))
        const labels = [...new Set([...one, ...other].map(({ label }) => label))]
        if (labels.length === 0) return null
        return (
          <Section title="Answers" note={`In the first ${count(100 * pagesMax)} rows of each version.`}>
            <PlainTable
              caption="How often each answer occurs"
              head={["Answer", "Left", "Right"]}
              rows={labels.map((label) => [
                opening(label, 60),
                share(inOne?.get(label) ?? 0),
                share(inOther?.get(label) ?? 0)
              ])}
            />
          </Section>
        )
      }}
    </QueryContent>
  )
}

const Digests = ({ one, other }: { readonly one: DatasetVersion; readonly other: DatasetVersion }) =>
  one.content_sha256 !== null && one.content_sha256 === other.content_sha256 ? (
    <p className="notice good">Both have the same rows in the same order.</p>
  ) : null

export default function CompareVersions({
  params: { left = "", right = "" }
}: {
  readonly params: Readonly<Record<string, string>>
}) {
  const client = useClient()
  const versions = useAnswer(["versions", "compared", left, right], () =>
    Promise.all([client.datasetVersions.get(left), client.datasetVersions.get(right)])
  )
  const dataset = versions.data?.[0].dataset
  return (
    <Page
      title="Two versions"
      from={dataset === undefined ? ["/data", "Data"] : [`/data/datasets/${dataset}`, "Dataset"]}
    >
      <QueryContent query={versions}>
        {([one, other]) => (
          <>
            <Digests one={one} other={other} />
            <Section title="Figures">
              <PlainTable
                caption="Side by side"
                head={["What", "Left", "Right", "Difference"]}
                rows={[
                  [
                    "Version",
                    ...[one, other].map(({ id }) => (
                      <Link key={id} href={`/data/versions/${id}`}>
                        <code>{id}</code>
                      </Link>
                    )),
                    ""
                  ],
                  ...rowsOf(one, other)
                ]}
              />
            </Section>
            {one.status === "ready" && other.status === "ready" && <Answers left={left} right={right} />}
          </>
        )}
      </QueryContent>
    </Page>
  )
}
