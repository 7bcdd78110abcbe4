/** A connector as the API shows it: its credential only as a mask. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Connector } from "./Connector.ts"
import { mask } from "./internal/ConnectorRules.ts"

const shown = <const K extends string, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({
    id: idOf("con"),
    object: Schema.Literal("connector"),
    livemode: Schema.Boolean,
    name: Schema.String,
    kind: Schema.Literal(kind),
    config,
    created_at: Timestamp,
    updated_at: Timestamp
  })

const Masked = Schema.NullOr(Schema.String).annotate({ description: "A mask; the credential itself is never shown" })

export const ConnectorResource = Schema.Union([
  shown("http_jsonl", Schema.Struct({ url: UrlShown, auth_header: Masked })),
  shown(
    "openai_stored_completions",
    Schema.Struct({
      base_url: UrlShown,
      api_key: Masked,
      model: Schema.NullOr(Schema.String),
      metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
    })
  ),
  shown(
    "s3",
    Schema.Struct({
      bucket: Schema.String,
      prefix: Schema.NullOr(Schema.String),
      key: Schema.NullOr(Schema.String),
      region: Schema.String,
      endpoint: Schema.NullOr(Schema.String),
      force_path_style: Schema.Boolean,
      access_key_id: Masked,
      secret_access_key: Masked,
      session_token: Masked
    })
  )
]).annotate({ identifier: "Connector" })

const renderRule = ({ rule, sealedCredential }: Connector) => {
  const credential = sealedCredential === null ? null : mask
  switch (rule.kind) {
    case "http_jsonl":
      return { kind: rule.kind, config: { url: rule.config.url, auth_header: credential } }
    case "openai_stored_completions":
      return { kind: rule.kind, config: { ...rule.config, api_key: credential } }
    case "s3": {
      const { is_session: isSession, ...config } = rule.config
      const sessionToken = isSession ? credential : null
      const credentials = { access_key_id: credential, secret_access_key: credential, session_token: sessionToken }
      return { kind: rule.kind, config: { ...config, ...credentials } }
    }
  }
}

export const render = Rendered.by(ConnectorResource, (partition: Partition, connector: Connector) => ({
  id: connector.id,
  object: "connector",
  livemode: partition.livemode,
  name: connector.name,
  ...renderRule(connector),
  created_at: toIso(connector.createdAt),
  updated_at: toIso(connector.updatedAt)
}))
