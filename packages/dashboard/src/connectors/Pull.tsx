/** The page of a pull: its state, its failed lines, and a dataset of its rows. */
import type { Client, Pull as PullAnswer } from "@limbeck/client"
import { Link } from "wouter"
import { missingAsNull, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { LineErrors } from "../data/LineErrors.tsx"
import { NewDataset } from "../data/NewDataset.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Notice } from "../parts/LongText.tsx"
import { Page, QueryContent } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes, count } from "../parts/Words.ts"

/** A pull with the name of its connector; null: it was deleted. */
interface NamedPull {
  readonly pull: PullAnswer
  readonly connector: string | null
}

const readNamed = async (client: Client, id: string): Promise<NamedPull> => {
  const pull = await client.pulls.get(id)
  const connector = await client.connectors.get(pull.connector).then(({ name }) => name, missingAsNull)
  return { pull, connector }
}

const isMoving = ({ pull: { status } }: NamedPull) => status === "queued" || status === "running"

const Shown = ({ connector, pull }: NamedPull) => (
  <>
    {pull.error !== null && <Notice of={pull.error.message} />}
    <Facts
      of={[
        ["State", <Badge key="state" of={pull.status} />],
        [
          "Connector",
          connector === null ? (
            "deleted since"
          ) : (
            <Link key="connector" href={`/data/connectors/${pull.connector}`}>
              <bdi>{connector}</bdi>
            </Link>
          )
        ],
        ["Size", bytes(pull.bytes)],
        ["Rows", count(pull.rows)],
        ["Lines with errors", count(pull.error_count)],
        ["Queued", <Time key="queued" at={pull.created_at} />],
        ["Begun", <Time key="begun" at={pull.started_at} />],
        ["Ended", <Time key="ended" at={pull.finished_at} />]
      ]}
    />
    <LineErrors errors={pull.errors} />
  </>
)

export default function Pull({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["pulls", id], () => readNamed(client, id), { moves: isMoving })
  const named = query.data
  return (
    <Page
      title="Pull"
      from={["/data", "Data"]}
      actions={
        named?.pull.status === "succeeded" && (
          <NewDataset title="Make a dataset of this pull" from={{ pull: named.pull.id }} />
        )
      }
    >
      <QueryContent query={query}>{(answer) => <Shown {...answer} />}</QueryContent>
    </Page>
  )
}
