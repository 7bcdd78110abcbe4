/** A moment by its distance from now, with the whole one on hover. */
import { useSyncExternalStore } from "react"
import { agoOf } from "./AgoWords.ts"
import { momentOf } from "./Time.tsx"

/** How often shown distances are made anew. */
const tickMillis = 15_000

let now = Date.now()
const listeners = new Set<() => void>()

const tick = () => {
  now = Date.now()
  for (const listener of listeners) listener()
}

let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all moments of the page. */
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(tick, tickMillis)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const Ago = ({ at }: { readonly at: string }) => {
  const reference = useSyncExternalStore(subscribe, () => now)
  return (
    <time dateTime={at} title={`${momentOf(at)}, ${at} (UTC)`}>
      {/* What came since the last tick is no future. */}
      {agoOf(Date.parse(at), Math.max(reference, Date.parse(at)))}
    </time>
  )
}
