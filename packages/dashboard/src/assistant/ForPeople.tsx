/** The assistant acts with the role of a signed-in person: tokens and viewers read here why they have none. */
import type { ReactNode } from "react"
import { useHasAssistant } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Page } from "../parts/Page.tsx"

export const ForPeople = ({ children }: { readonly children: ReactNode }) =>
  useHasAssistant() ? (
    children
  ) : (
    <Page title="Assistant">
      <Empty title="The assistant talks to signed-in people">
        <p>It acts with the role of a person who may change things: an owner or a member, signed in by a link.</p>
      </Empty>
    </Page>
  )
