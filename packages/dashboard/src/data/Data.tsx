/** Rows: uploads, connectors, and datasets made from uploads or captured calls. */
import type { Dataset, Upload } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Connectors } from "../connectors/Connectors.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, count } from "../parts/Words.ts"
import { Uploader } from "./Uploader.tsx"

const uploadColumns: ReadonlyArray<Column<Upload>> = [
  { name: "File", width: "minmax(8rem, 2fr)", of: ({ filename }) => filename },
  { name: "State", width: "10rem", narrow: "6rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Rows", width: "6rem", narrow: "4rem", of: ({ rows }) => count(rows), isFigure: true },
  { name: "Bytes", width: "7rem", of: ({ received_bytes }) => bytes(received_bytes), isFigure: true, isMinor: true },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

const datasetColumns: ReadonlyArray<Column<Dataset>> = [
  { name: "Dataset", width: "minmax(8rem, 2fr)", of: ({ name }) => name },
  { name: "Description", width: "minmax(8rem, 3fr)", of: ({ description }) => description ?? "–", isMinor: true },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

export default function Data() {
  const client = useClient()
  const uploads = useList(["uploads"], (cursor) => client.uploads.list({ limit: 20, ...cursor }))
  const datasets = useList(["datasets"], (cursor) => client.datasets.list({ limit: 50, ...cursor }))
  return (
    <Page title="Data">
      <Section
        title="Upload rows"
        note="JSON Lines: each line an object with messages, and a completion or a last message of the assistant."
      >
        <Uploader />
      </Section>
      <Section title="Datasets">
        <ItemTable
          label="Datasets"
          list={datasets}
          columns={datasetColumns}
          href={({ id }) => `/data/datasets/${id}`}
          empty={<Empty title="No dataset yet">Make one of calls, or of an upload.</Empty>}
        />
      </Section>
      <Section title="Uploads">
        <ItemTable
          label="Uploads"
          list={uploads}
          columns={uploadColumns}
          href={({ id }) => `/data/uploads/${id}`}
          empty={<Empty title="Nothing was uploaded yet" />}
        />
      </Section>
      <Connectors />
    </Page>
  )
}
