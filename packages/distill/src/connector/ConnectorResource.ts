/** A connector as the API shows it: its credential only as a mask. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Connector } from "./Connector.ts"
import { mask } from "./internal/ConnectorRules.ts"

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

export const render = (partition: Partition, connector: Connector) => ({
  id: connector.id,
  object: "connector" as const,
  livemode: partition.livemode,
  name: connector.name,
  ...renderRule(connector),
  created_at: toIso(connector.createdAt),
  updated_at: toIso(connector.updatedAt)
})
