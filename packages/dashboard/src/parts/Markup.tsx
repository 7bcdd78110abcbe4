/** Markup from escaping templates, shared with the page of a shared report. */
import type { Html } from "@limbeck/api/report/Html"
import { useLayoutEffect, useRef } from "react"

export const Markup = ({ of: { markup } }: { readonly of: Html }) => {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const parsed = new DOMParser().parseFromString(markup, "text/html")
    place.current?.replaceChildren(...parsed.body.childNodes)
  }, [markup])
  return <div ref={place} />
}

/** Styles for such markup. The content policy forbids style elements, but permits sheets added by our script. */
export const adopt = (rules: string): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets.push(sheet)
}
