/** Which page shows the resource of an id. Pure. */
import { type PageName, pagesOf, pageTable, type Service } from "../app/PageTable.ts"

const pageOfPrefix: ReadonlyMap<string, PageName> = new Map([
  ["asc", "assistantConversation"],
  ["call", "call"],
  ["con", "connector"],
  ["dep", "deployment"],
  ["ds", "dataset"],
  ["dsv", "version"],
  ["evt", "event"],
  ["inv", "workspace"],
  ["led", "billing"],
  ["pull", "pull"],
  ["rpt", "report"],
  ["run", "run"],
  ["rvq", "review"],
  ["src", "sources"],
  ["stu", "student"],
  ["tok", "tokens"],
  ["upl", "upload"],
  ["usr", "workspace"],
  ["wh", "endpoint"],
  ["ws", "workspace"]
])

/** A prefix, and 26 characters. */
const pattern = /^([a-z]+)_[0-9a-z]{26}$/

/** The id in a text, which may have been copied with quotation marks. */
export const idIn = (text: string): string | null => {
  const id = text.replaceAll(/["'`,\s]/g, "")
  return pattern.test(id) ? id : null
}

/** The page of a delivery stands below its endpoint, which its id does not name. */
export const isDelivery = (id: string): boolean => id.startsWith("del_")

/** Null: no page of the server shows resources of this kind. */
export const placeOf = (id: string, service: Service): string | null => {
  const name = pageOfPrefix.get(pattern.exec(id)?.[1] ?? "")
  if (name === undefined || !pagesOf(service).includes(name)) return null
  return pageTable[name].path.replace(/:\w+/, id)
}
