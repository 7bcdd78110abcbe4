/** The connectors of the page of data. */
import type { Connector } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { wordsOfKind } from "./ConfigFields.ts"
import { NewConnector } from "./ConnectorForm.tsx"

const columns: ReadonlyArray<Column<Connector>> = [
  { name: "Connector", width: "minmax(8rem, 2fr)", of: ({ name }) => name },
  { name: "Kind", width: "minmax(8rem, 3fr)", of: ({ kind }) => wordsOfKind(kind) },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

export const Connectors = () => {
  const client = useClient()
  const list = useList(["connectors"], (cursor) => client.connectors.list({ limit: 20, ...cursor }))
  return (
    <Section
      title="Connectors"
      note="Places from which rows are pulled: a URL, a provider's stored completions, a bucket."
    >
      <div className="actions">
        <NewConnector />
      </div>
      <ItemTable
        label="Connectors"
        list={list}
        columns={columns}
        href={({ id }) => `/data/connectors/${id}`}
        empty={<Empty title="No connector yet" />}
      />
    </Section>
  )
}
