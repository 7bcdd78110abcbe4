/** What surrounds every page: navigation, workspace, mode. */
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react"
import { Link, useLocation } from "wouter"
import { PaletteButton } from "../palette/PaletteButton.tsx"
import { Offline } from "../parts/Waiting.tsx"
import icon from "../style/icon.svg"
import { useLinkedPages } from "./LinkedPages.ts"
import { useSession } from "./Session.tsx"

const isAt = (location: string, place: string) =>
  place === "/" ? location === "/" : location === place || location.startsWith(`${place}/`)

/** On a phone the navigation scrolls: where somebody is, is in sight. */
const useCurrentInSight = (location: string) => {
  const place = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place has another current link
  useLayoutEffect(() => {
    const [nav, current] = [place.current, place.current?.querySelector<HTMLElement>("[aria-current]")]
    if (nav !== null && current !== null && current !== undefined)
      nav.scrollLeft = current.offsetLeft + current.offsetWidth / 2 - nav.clientWidth / 2
  }, [location])
  return place
}

const Navigation = () => {
  const [location] = useLocation()
  const links = useLinkedPages()
  return (
    <nav aria-label="Main" ref={useCurrentInSight(location)}>
      <ul>
        {links.map(({ link, path }) => (
          <li key={path}>
            <Link href={path} aria-current={isAt(location, path) ? "page" : undefined}>
              {link}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A new page begins at its top, and screen readers begin to read there. */
const useFreshStart = () => {
  const [location] = useLocation()
  const main = useRef<HTMLElement>(null)
  const before = useRef(location)
  useEffect(() => {
    if (before.current === location) return
    before.current = location
    window.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [location])
  return main
}

/** People choose workspace and mode; a token has fixed ones. */
const Place = () => {
  const { as, move, role, whoami, workspaces } = useSession()
  const mode = whoami.livemode ? "live" : "test"
  if (as.kind === "token")
    return (
      <>
        <span className="workspace">{whoami.workspace.name}</span>
        <span className={`mode ${mode}`}>{mode} mode</span>
      </>
    )
  return (
    <>
      <select aria-label="Workspace" value={as.workspace} onChange={({ target }) => move(target.value, as.livemode)}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Mode"
        className={`mode ${mode}`}
        value={mode}
        onChange={({ target }) => move(as.workspace, target.value === "live")}
      >
        <option value="live">live mode</option>
        <option value="test">test mode</option>
      </select>
      <span className="badge even">{role}</span>
    </>
  )
}

/** The number of open invitations, linked to the page with their buttons. */
const Invited = () => {
  const { invitations } = useSession()
  if (invitations.length === 0) return null
  return (
    <Link href="/workspace" className="badge even">
      {invitations.length === 1 ? "1 invitation" : `${invitations.length} invitations`}
    </Link>
  )
}

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const { signOut, whoami } = useSession()
  const main = useFreshStart()
  const mode = whoami.livemode ? "live" : "test"
  return (
    <div className={`shell ${mode}`}>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header>
        <strong className="brand">
          <img src={icon} alt="" />
          <span className="brand-name">Limbeck</span>
        </strong>
        <Place />
        <Invited />
        <PaletteButton />
        <button type="button" className="quiet" onClick={() => signOut()}>
          Sign out
        </button>
      </header>
      <Navigation />
      <Offline />
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
