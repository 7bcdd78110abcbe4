/** Requests without a token, whose query names 60 KB of different parameters. */
import { setTimeout as sleep } from "node:timers/promises"
import { Client, type Family } from "./Abuse.ts"

const perSecond = 20
/** All headers together may have 64 KiB. */
const queryBytes = 60_000

const names = (): string => {
  let text = ""
  for (let n = 0; text.length < queryBytes; n++) text += `${n === 0 ? "" : "&"}${n.toString(36)}`
  return text
}

export const queries: Family = async (target) => {
  const client = new Client(target)
  const query = names()
  const sent: Array<Promise<unknown>> = []
  while (!target.isOver()) {
    sent.push(client.send("HEAD", "HEAD", `/v1/distill/uploads/x/content?${query}`, null, {}))
    sent.push(client.send("GET", "GET", `/v1/tokens?${query}`, null, {}))
    await sleep(2_000 / perSecond)
  }
  await Promise.all(sent)
  await client.close()
}
