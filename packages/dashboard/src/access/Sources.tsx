/** Where models are asked. */
import type { Source } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Do } from "../parts/Do.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Text } from "../parts/LongText.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { millis, quantity } from "../parts/Words.ts"
import { Prices } from "./Prices.tsx"
import { EditSource, NewSource } from "./SourceForm.tsx"

const Verify = ({ id }: { readonly id: string }) => {
  const client = useClient()
  return (
    <Do
      button="Verify"
      act={() => client.sources.verify(id)}
      says={({ duration_ms, models, ok, reason }) =>
        ok ? `It answered in ${millis(duration_ms)}, with ${quantity(models.length, "model")}.` : `It failed: ${reason}`
      }
    />
  )
}

const modelsOf = ({ models }: Source): string =>
  models.map((model) => (typeof model === "string" ? model : model.id)).join(", ") || "any"

const Card = ({ source }: { readonly source: Source }) => {
  const client = useClient()
  return (
    <section className="card" aria-label={source.name}>
      <h2>
        {source.name} {source.default && <span className="badge even">default</span>}
      </h2>
      <Facts
        of={[
          ["Address", <code key="address">{source.base_url}</code>],
          ["Key", source.api_key_last4 === null ? "none" : `ends with ${source.api_key_last4}`],
          ["Capture", source.capture.enabled ? `${100 * source.capture.sample_rate} % of calls` : "off"],
          ["Time limit", millis(source.timeout_ms)],
          ["Models", <Text key="models" label="the models" of={modelsOf(source)} />],
          ["Made", <Time key="made" at={source.created_at} />]
        ]}
      />
      <div className="actions">
        <Verify id={source.id} />
        <EditSource source={source} />
        <Ask
          button="Delete"
          tone="danger"
          title={`Delete ${source.name}?`}
          note="Calls that name it are refused afterwards. What was captured stays."
          does="Delete"
          act={() => client.sources.delete(source.id)}
        />
      </div>
    </section>
  )
}

export default function Sources() {
  const client = useClient()
  const list = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  return (
    <Page title="Sources" actions={<NewSource />}>
      <Failure error={list.error} />
      {list.isSuccess && list.items.length === 0 && (
        <Empty title="No source yet">Add the server that your program asks today.</Empty>
      )}
      {list.items.map((source) => (
        <Card key={source.id} source={source} />
      ))}
      {list.isSuccess && <Prices />}
    </Page>
  )
}
