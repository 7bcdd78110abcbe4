/** Sign-in links and links of invitations. The secret stands behind the `#`, which browsers never send to a server. */
import { useSyncExternalStore } from "react"

export interface Link {
  readonly kind: "sign-in" | "invitation"
  readonly secret: string
}

const pattern = /^#\/(sign-in|invitation)\/([^/?]+)/

/** The most recently opened link; null: no link waits for an answer. */
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
// Opening a link in a loaded page changes only the fragment of the URL.
addEventListener("hashchange", take)

export const close = () => open(null)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useLink = (): Link | null => useSyncExternalStore(subscribe, () => opened)
