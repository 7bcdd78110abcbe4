/** One upload: its content, its errors, and its next steps. */
import type { Upload as UploadAnswer } from "@limbeck/client"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, count } from "../parts/Words.ts"
import { RegisterUpload } from "../students/Register.tsx"
import { LineErrors } from "./LineErrors.tsx"
import { NewDataset } from "./NewDataset.tsx"
import { Uploader } from "./Uploader.tsx"

/** The next step: a dataset from rows, a student from a model. */
const Next = ({ upload }: { readonly upload: UploadAnswer }) =>
  upload.format === "student_model" ? (
    <RegisterUpload upload={upload} />
  ) : (
    <NewDataset title="Make a dataset of this upload" from={{ upload: upload.id }} />
  )

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
            <LineErrors errors={upload.errors} />
          </>
        )}
      </QueryContent>
    </Page>
  )
}
