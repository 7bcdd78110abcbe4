/** Opens the palette by a button or by Ctrl-K. The first opening loads the code. */
import { lazy, Suspense, useCallback, useEffect, useState } from "react"
import { LoadBoundary } from "../app/LoadBoundary.tsx"

const Palette = lazy(() => import("./Palette.tsx"))

/** Browsers of Apple's systems use the command key. */
const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"

const useShortcut = (open: () => void) => {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return
      event.preventDefault()
      open()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [open])
}

export const PaletteButton = () => {
  const [isOpen, setIsOpen] = useState(false)
  const open = useCallback(() => setIsOpen(true), [])
  useShortcut(open)
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={`Go to, ${keys}`}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <svg aria-hidden="true" viewBox="0 0 16 16" className="search-icon">
          <circle cx="7" cy="7" r="4.5" />
          <path d="m10.5 10.5 4 4" />
        </svg>
        <kbd className="soft">{keys}</kbd>
      </button>
      {isOpen && (
        <LoadBoundary>
          <Suspense>
            <Palette close={() => setIsOpen(false)} />
          </Suspense>
        </LoadBoundary>
      )}
    </>
  )
}
