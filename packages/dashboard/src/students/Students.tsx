/** Students: trained by runs here, or elsewhere. */
import type { StudentModel } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Uploader } from "../data/Uploader.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { share } from "../parts/Words.ts"
import { RegisterEndpoint } from "./Register.tsx"
import { nameOf, originOf } from "./StudentWords.ts"

const columns: ReadonlyArray<Column<StudentModel>> = [
  { name: "Student", width: "minmax(8rem, 2fr)", of: nameOf },
  { name: "Trained", width: "7rem", narrow: "5rem", of: originOf },
  { name: "Base", width: "minmax(8rem, 1fr)", of: ({ base }) => base, isMinor: true },
  { name: "Agreement", width: "7rem", narrow: "5.5rem", of: ({ accuracy }) => share(accuracy), isFigure: true },
  { name: "Made", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

export default function Students() {
  const client = useClient()
  const list = useList(["students"], (cursor) => client.studentModels.list({ limit: 50, ...cursor }))
  return (
    <Page title="Students" actions={<RegisterEndpoint />}>
      <ItemTable
        label="Students"
        list={list}
        columns={columns}
        href={({ id }) => `/students/${id}`}
        empty={
          <Empty title="No student yet">A live run makes one. One that was trained elsewhere can be registered.</Empty>
        }
      />
      <Section
        title="Upload a model"
        note="A GGUF file, or a tar of a model's files, gzipped or not. It is registered when it has come; this server has to be set up to serve it."
      >
        <Uploader format="student_model" />
      </Section>
    </Page>
  )
}
