/** Asks a source's upstream for its models: the cheapest question that needs the key. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as DialectRules from "../../dialect/DialectRules.ts"
import { fetchWhole } from "../../upstream/internal/WholeAnswer.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Source } from "../Source.ts"

export const ask = (
  upstream: Upstream["Service"],
  { livemode }: Partition,
  { baseUrl, dialect }: Source,
  credentials: Readonly<Record<string, string>>,
  timeoutMillis: number
) =>
  fetchWhole(upstream, {
    livemode,
    method: "GET",
    url: `${baseUrl}/models`,
    headers: { accept: "application/json", ...DialectRules.requiredHeaders(dialect), ...credentials },
    body: null,
    timeoutMillis
  })
