/** Places stand behind the `#`, list filters before it. A place without a filter clears the previous one. */
import type { BaseLocationHook } from "wouter"
import { useHashLocation } from "wouter/use-hash-location"

// Of the way back to another filter the browser tells by `popstate` alone.
addEventListener("popstate", () => dispatchEvent(new HashChangeEvent("hashchange")))

const hook = (...given: Parameters<typeof useHashLocation>): ReturnType<typeof useHashLocation> => {
  const [place, go] = useHashLocation(...given)
  return [place, (to, options) => go(to.includes("?") ? to : `${to}?`, options)]
}

export const usePlaces: BaseLocationHook = Object.assign(hook, { hrefs: (href: string) => `#${href}` })

/** The list that the current page belongs to, without its filter: another workspace or mode has no page of the same id. */
export const openSection = (): void => {
  const [, section = ""] = location.hash.split("/")
  history.replaceState(null, "", `${location.pathname}#/${section}`)
}
