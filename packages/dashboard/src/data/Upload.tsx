/** One upload: its content, its errors, and its next steps. */
import type { Upload as UploadAnswer } from "@limbeck/client"
import { useLocation } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, count } from "../parts/Words.ts"
import { RegisterUpload } from "../students/Register.tsx"
import { Uploader } from "./Uploader.tsx"

const NewDataset = ({ upload }: { readonly upload: string }) => {
  const client = useClient()
  const [, go] = useLocation()
  const create = async (form: FormData) => {
    const dataset = await client.datasets.create({ name: String(form.get("name")) })
    return client.datasetVersions.create(dataset.id, { from: { upload } })
  }
  return (
    <Ask
      button="Make a dataset"
      tone="primary"
      title="Make a dataset of this upload"
      does="Make"
      act={create}
      done={({ id }) => go(`/data/versions/${id}`)}
    >
      <Input label="Name of the dataset" name="name" required maxLength={64} />
    </Ask>
  )
}

/** The next step: a dataset from rows, a student from a model. */
const Next = ({ upload }: { readonly upload: UploadAnswer }) =>
  upload.format === "student_model" ? <RegisterUpload upload={upload} /> : <NewDataset upload={upload.id} />

const isMoving = ({ status }: { readonly status: string }) => status === "awaiting_content" || status === "processing"

export default function Upload({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["uploads", id], () => client.uploads.get(id), { moves: isMoving })
  return (
    <Page
      title={query.data?.filename ?? "Upload"}
      from={["/data", "Data"]}
      {...(query.data?.status === "succeeded" ? { actions: <Next upload={query.data} /> } : {})}
    >
      <QueryContent query={query}>
        {(upload) => (
          <>
            <Facts
              of={[
                ["State", <Badge key="state" of={upload.status} />],
                [
                  "Received",
                  upload.bytes === null || upload.bytes === upload.received_bytes
                    ? bytes(upload.received_bytes)
                    : `${bytes(upload.received_bytes)} of ${bytes(upload.bytes)}`
                ],
                ["Holds", upload.format === "student_model" ? "a model" : "rows"],
                ["Rows", count(upload.rows)],
                ["Lines with errors", count(upload.error_count)],
                ["When", <Time key="when" at={upload.created_at} />]
              ]}
            />
            {upload.status === "awaiting_content" && (
              <Section title="It is not complete" note="What is there already is not sent again.">
                <Uploader resumes={id} format={upload.format} />
              </Section>
            )}
            {upload.errors.length > 0 && (
              <Section title="What was wrong">
                <PlainTable
                  caption={`The first ${upload.errors.length} lines with errors`}
                  head={["Line", "Error"]}
                  rows={upload.errors.map(({ line, message }) => [line, message])}
                />
              </Section>
            )}
          </>
        )}
      </QueryContent>
    </Page>
  )
}
