/** Says why something has not come yet: nothing at first, then that the browser is offline or that the server is slow. */
import { useEffect, useState, useSyncExternalStore } from "react"

/** A shorter wait needs no words. */
const slowMillis = 3_000

const subscribe = (listener: () => void) => {
  for (const event of ["online", "offline"]) addEventListener(event, listener)
  return () => {
    for (const event of ["online", "offline"]) removeEventListener(event, listener)
  }
}

const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)

const useIsSlow = (): boolean => {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), slowMillis)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}

export const Waiting = () => {
  const isOnline = useIsOnline()
  const isSlow = useIsSlow()
  return (
    <p role="status" className="soft waiting">
      {!isOnline && "You are offline: trying again."}
      {isOnline && isSlow && "The server has not answered yet: trying on."}
    </p>
  )
}

/** Says over a page that is shown already that it is not up to date. */
export const Offline = () =>
  useIsOnline() ? null : (
    <p role="status" className="offline">
      You are offline, trying again. What is shown may be old.
    </p>
  )
