/** Places and list filters stand behind the `#`, which browsers never send to a server. A place without a filter clears the previous one. */
import { useSyncExternalStore } from "react"
import type { BaseLocationHook, BaseSearchHook } from "wouter"

interface Move {
  readonly replace?: boolean
  readonly state?: unknown
}

const prefix = /^#?\/?/

const partsOf = (): ReadonlyArray<string> => location.hash.replace(prefix, "").split("?")

const placeNow = (): string => `/${partsOf()[0] ?? ""}`
const searchNow = (): string => partsOf()[1] ?? ""

const subscribe = (changed: () => void) => {
  addEventListener("hashchange", changed)
  return () => removeEventListener("hashchange", changed)
}

const go = (to: string, { replace = false, state = null }: Move = {}) => {
  history[replace ? "replaceState" : "pushState"](state, "", `${location.pathname}#/${to.replace(prefix, "")}`)
  // The browser announces only the fragments that it changes itself.
  dispatchEvent(new HashChangeEvent("hashchange"))
}

const useSearch: BaseSearchHook = () => useSyncExternalStore(subscribe, searchNow)

const usePlace = (): [string, typeof go] => [useSyncExternalStore(subscribe, placeNow), go]

export const usePlaces: BaseLocationHook = Object.assign(usePlace, {
  hrefs: (href: string) => `#${href}`,
  searchHook: useSearch
})

/** The list that the current page belongs to, without its filter: another workspace or mode has no page of the same id. */
export const openSection = (): void => {
  const [section = ""] = placeNow().slice(1).split("/")
  history.replaceState(null, "", `${location.pathname}#/${section}`)
}
