/** The visible rows of a long list. Rows have one height, so that scrolling reads no layout. */
import { type RefObject, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"

/** As high as `.items-row`. */
export const rowPixels = 44

/** Rows drawn beyond the window on each side. */
const spare = 4

interface RowWindow {
  readonly body: RefObject<HTMLDivElement | null>
  /** Indices of the rows to draw, in order. */
  readonly shown: ReadonlyArray<number>
  /** How many rows are in the document at most: as many places are used in turn. */
  readonly places: number
}

export const useRowWindow = (count: number): RowWindow => {
  const body = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [inSight, setInSight] = useState(() => Math.ceil(innerHeight / rowPixels) + 1)
  useEffect(() => {
    let top = 0
    const look = () => setFirst(Math.max(0, Math.floor((scrollY - top) / rowPixels)))
    // Drawn before the scrolled frame.
    const scrolled = () => flushSync(look)
    const measure = () => {
      top = body.current === null ? 0 : body.current.getBoundingClientRect().top + scrollY
      setInSight(Math.ceil(innerHeight / rowPixels) + 1)
      look()
    }
    // What stands above may grow.
    const grown = new ResizeObserver(measure)
    grown.observe(document.body)
    addEventListener("scroll", scrolled, { passive: true })
    addEventListener("resize", measure)
    return () => {
      grown.disconnect()
      removeEventListener("scroll", scrolled)
      removeEventListener("resize", measure)
    }
  }, [])
  const from = Math.max(0, Math.min(first, count - inSight) - spare)
  const places = inSight + 2 * spare
  return { body, places, shown: Array.from({ length: Math.min(places, count - from) }, (_, at) => from + at) }
}
