/** The state of an endpoint in one word. Pure. */
import type { WebhookEndpoint } from "@limbeck/client"

/** From this share of successful attempts in 24 hours on, an endpoint is healthy: retries repair single failures. */
export const healthySuccessMin = 0.95

/** `failing`: enabled, but attempts of the last 24 hours failed too often. */
export const stateOf = ({
  delivery_stats,
  status
}: Pick<WebhookEndpoint, "delivery_stats" | "status">): WebhookEndpoint["status"] | "failing" =>
  status === "enabled" && (delivery_stats.success_rate_24h ?? 1) < healthySuccessMin ? "failing" : status
