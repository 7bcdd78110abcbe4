/** Markup that was made by templates which escape what is put in: as a shared report shows it, so the dashboard does. */
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

/** Rules for such markup. A policy that allows no style elements allows what a script of ours adds. */
export const adopt = (rules: string): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets.push(sheet)
}
