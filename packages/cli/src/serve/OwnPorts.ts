/** The ports of this machine that a server listens on or depends on: no request of a tenant reaches them. */
import type { PortHolder } from "@limbeck/core/egress/EgressPolicy"
import type { Settings } from "./Settings.ts"

const isThisMachine = (host: string): boolean => /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|::1?)$/i.test(host)

const defaultPorts: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "http:": 80,
  "https:": 443
}

/** The port where the URL leads to this machine. libpq also reads host and port from the query. */
const portIn = (text: string | null | undefined): ReadonlyArray<number> => {
  const url = URL.canParse(text ?? "") ? new URL(text ?? "") : undefined
  if (url === undefined) return []
  const host = url.searchParams.get("host") ?? url.hostname
  const port = Number(url.searchParams.get("port") ?? url.port)
  return isThisMachine(host) ? [port === 0 ? (defaultPorts[url.protocol] ?? 0) : port] : []
}

/** `listening`: where requests to this server arrive, metrics included; with several processes where their parent listens. */
export const holderOf = ({ databaseUrl, ray, telemetry }: Settings, listening: number) => {
  const programs = new Set([databaseUrl, ray?.address, telemetry?.endpoint].flatMap(portIn))
  return (port: number): PortHolder | undefined => {
    if (port === listening) return "server"
    return programs.has(port) ? "program" : undefined
  }
}
