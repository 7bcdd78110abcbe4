/** The component of each page, loaded when the page is first opened. */
import { type ComponentType, lazy, Suspense } from "react"
import { Redirect, Route, Switch, useLocation } from "wouter"
import { Page, Placeholder } from "../parts/Page.tsx"
import { LoadBoundary } from "./LoadBoundary.tsx"
import { firstPage, type PageName, pagesOf, pageTable } from "./PageTable.ts"
import { useSession } from "./Session.tsx"

type Params = Readonly<Record<string, string>>
type PageComponent = ComponentType<{ readonly params: Params }>

const page = (load: () => Promise<{ readonly default: PageComponent }>) => lazy(load)

const views: Readonly<Record<PageName, PageComponent>> = {
  home: page(() => import("../home/Home.tsx")),
  calls: page(() => import("../calls/Calls.tsx")),
  call: page(() => import("../calls/Call.tsx")),
  data: page(() => import("../data/Data.tsx")),
  upload: page(() => import("../data/Upload.tsx")),
  dataset: page(() => import("../data/Dataset.tsx")),
  version: page(() => import("../data/Version.tsx")),
  compareVersions: page(() => import("../data/CompareVersions.tsx")),
  connector: page(() => import("../connectors/Connector.tsx")),
  pull: page(() => import("../connectors/Pull.tsx")),
  review: page(() => import("../review/Review.tsx")),
  runs: page(() => import("../runs/Runs.tsx")),
  newRun: page(() => import("../runs/NewRun.tsx")),
  compare: page(() => import("../runs/Compare.tsx")),
  run: page(() => import("../runs/Run.tsx")),
  reports: page(() => import("../reports/Reports.tsx")),
  report: page(() => import("../reports/Report.tsx")),
  students: page(() => import("../students/Students.tsx")),
  student: page(() => import("../students/Student.tsx")),
  deployments: page(() => import("../deployments/Deployments.tsx")),
  deployment: page(() => import("../deployments/Deployment.tsx")),
  playground: page(() => import("../playground/Playground.tsx")),
  events: page(() => import("../events/Events.tsx")),
  event: page(() => import("../events/Event.tsx")),
  webhooks: page(() => import("../webhooks/Webhooks.tsx")),
  signatureTester: page(() => import("../webhooks/SignatureTester.tsx")),
  endpoint: page(() => import("../webhooks/Endpoint.tsx")),
  delivery: page(() => import("../webhooks/Delivery.tsx")),
  billing: page(() => import("../access/Billing.tsx")),
  sources: page(() => import("../access/Sources.tsx")),
  tokens: page(() => import("../access/Tokens.tsx")),
  workspace: page(() => import("../access/Workspace.tsx")),
  assistant: page(() => import("../assistant/Assistant.tsx")),
  assistantConversation: page(() => import("../assistant/ConversationPage.tsx"))
}

const Unknown = () => (
  <Page title="There is no such page">
    <p>Choose one in the navigation.</p>
  </Page>
)

export const Routes = () => {
  const [place] = useLocation()
  const { service } = useSession()
  const first = firstPage(service)
  return (
    // Each page has its own boundary, so that one failure does not persist.
    <LoadBoundary key={place}>
      <Suspense fallback={<Placeholder />}>
        <Switch>
          {/* The first path that fits wins, so the order is that of the table. */}
          {pagesOf(service).map((name) => {
            const View = views[name]
            return (
              <Route key={name} path={pageTable[name].path}>
                {(params) => <View params={params as Params} />}
              </Route>
            )
          })}
          {first !== "/" && (
            <Route path="/">
              <Redirect to={first} replace />
            </Route>
          )}
          <Route>
            <Unknown />
          </Route>
        </Switch>
      </Suspense>
    </LoadBoundary>
  )
}
