/** Asks a source's upstream for its models: the cheapest question that needs the key. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { fetchWhole } from "../../upstream/internal/WholeAnswer.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Source } from "../Source.ts"

export const ask = (
  upstream: Upstream["Service"],
  { livemode }: Partition,
  { baseUrl }: Source,
  credentials: Readonly<Record<string, string>>,
  timeoutMillis: number
) =>
  fetchWhole(upstream, {
    livemode,
    method: "GET",
    url: `${baseUrl}/models`,
    headers: { accept: "application/json", ...credentials },
    body: null,
    timeoutMillis
  })
