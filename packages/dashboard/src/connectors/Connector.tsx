/** One connector: its settings, and its pulls. */
import type { Connector as ConnectorAnswer, Pull } from "@limbeck/client"
import { useLocation } from "wouter"
import { liveMillis, useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Do } from "../parts/Do.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Facts } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Text } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, count } from "../parts/Words.ts"
import { type ConfigField, fieldsOf, isMasked, shownOf, wordsOfKind } from "./ConfigFields.ts"
import { EditConnector } from "./ConnectorForm.tsx"

const columns: ReadonlyArray<Column<Pull>> = [
  { name: "Begun", width: "minmax(9rem, 1fr)", of: ({ created_at }) => <Time at={created_at} /> },
  { name: "State", width: "8rem", narrow: "6rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Rows", width: "6rem", narrow: "4rem", of: ({ rows }) => count(rows), isFigure: true },
  { name: "Errors", width: "6rem", of: ({ error_count }) => count(error_count), isFigure: true, isMinor: true },
  { name: "Size", width: "7rem", of: ({ bytes: size }) => bytes(size), isFigure: true, isMinor: true }
]

const settingShown = (field: ConfigField, connector: ConnectorAnswer) => {
  if (field.form === "secret") return isMasked(field, connector) ? "stored, and never shown" : "none"
  const shown = shownOf(field, connector)
  return shown === "" ? "–" : <Text label={field.label} of={shown} />
}

const Actions = ({ connector }: { readonly connector: ConnectorAnswer }) => {
  const client = useClient()
  const [, go] = useLocation()
  const { id, name } = connector
  return (
    <>
      <Do
        button="Pull now"
        tone="primary"
        act={() => client.pulls.create(id)}
        done={(pull) => go(`/data/pulls/${pull.id}`)}
      />
      <EditConnector connector={connector} />
      <Ask
        button="Delete"
        tone="danger"
        title={`Delete ${name}?`}
        note="Its credential is forgotten. Its pulls and their rows stay."
        does="Delete"
        act={() => client.connectors.delete(id)}
        done={() => go("/data")}
      />
    </>
  )
}

export default function Connector({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["connectors", id], () => client.connectors.get(id))
  const pulls = useList(
    ["connectors", id, "pulls"],
    (cursor) => client.pulls.list({ connector: id, limit: 50, ...cursor }),
    2 * liveMillis
  )
  return (
    <Page
      title={query.data?.name ?? "Connector"}
      from={["/data", "Data"]}
      actions={query.data !== undefined && <Actions connector={query.data} />}
    >
      <QueryContent query={query}>
        {(connector) => (
          <>
            <Facts
              of={[
                ["Kind", wordsOfKind(connector.kind)],
                ...fieldsOf[connector.kind].map((field) => [field.label, settingShown(field, connector)] as const),
                ["Made", <Time key="made" at={connector.created_at} />]
              ]}
            />
            <Section title="Pulls">
              <ItemTable
                label="Pulls"
                list={pulls}
                columns={columns}
                href={(pull) => `/data/pulls/${pull.id}`}
                empty={<Empty title="Nothing was pulled yet">Each pull fetches all rows once.</Empty>}
              />
            </Section>
          </>
        )}
      </QueryContent>
    </Page>
  )
}
