/** Links that let people in. Their secret stands behind the `#`, which browsers send to no server, and is used by a press alone. */
import { useSyncExternalStore } from "react"

export interface Link {
  readonly kind: "sign-in" | "invitation"
  readonly secret: string
}

const pattern = /^#\/(sign-in|invitation)\/([^/?]+)/

/** The link that the page was opened with, or opened last; null: none, or it was answered. */
let opened: Link | null = null
const listeners = new Set<() => void>()

const open = (link: Link | null) => {
  opened = link
  for (const listener of listeners) listener()
}

/** Takes the secret of a link out of the address and the history. */
const take = () => {
  const [, kind, secret] = pattern.exec(location.hash) ?? []
  if ((kind !== "sign-in" && kind !== "invitation") || secret === undefined) return
  history.replaceState(null, "", location.pathname)
  open({ kind, secret })
}

take()
// A link that is opened in a page that is there changes what stands behind the `#` alone.
addEventListener("hashchange", take)

export const close = () => open(null)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useLink = (): Link | null => useSyncExternalStore(subscribe, () => opened)
