/** Shows a page that does not load as an error with a button that reloads, in place of a blank page. */
import { Component, type ReactNode } from "react"
import { Empty } from "../parts/Empty.tsx"

interface Props {
  readonly children: ReactNode
}

export class LoadBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override state = { hasFailed: false }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Empty title="This page did not load">
        <p>The server did not answer, or it was updated since this page was opened.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </Empty>
    )
  }
}
