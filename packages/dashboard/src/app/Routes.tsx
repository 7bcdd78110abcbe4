/** Which page stands at which place. Every page is loaded when it is first looked at. */
import { type ComponentType, lazy, Suspense } from "react"
import { Route, Switch, useLocation } from "wouter"
import { Awaited, Page } from "../parts/Page.tsx"
import { LoadBoundary } from "./LoadBoundary.tsx"

type Params = Readonly<Record<string, string>>
type PageComponent = ComponentType<{ readonly params: Params }>

const page = (load: () => Promise<{ readonly default: PageComponent }>) => lazy(load)

const pages: ReadonlyArray<readonly [path: string, page: PageComponent]> = [
  ["/", page(() => import("../home/Home.tsx"))],
  ["/calls", page(() => import("../calls/Calls.tsx"))],
  ["/calls/:id", page(() => import("../calls/Call.tsx"))],
  ["/data", page(() => import("../data/Data.tsx"))],
  ["/data/uploads/:id", page(() => import("../data/Upload.tsx"))],
  ["/data/datasets/:id", page(() => import("../data/Dataset.tsx"))],
  ["/data/versions/:id", page(() => import("../data/Version.tsx"))],
  ["/runs", page(() => import("../runs/Runs.tsx"))],
  ["/runs/new/:version", page(() => import("../runs/NewRun.tsx"))],
  ["/runs/compare/:left/:right", page(() => import("../runs/Compare.tsx"))],
  ["/runs/:id", page(() => import("../runs/Run.tsx"))],
  ["/reports", page(() => import("../reports/Reports.tsx"))],
  ["/reports/:id", page(() => import("../reports/Report.tsx"))],
  ["/students", page(() => import("../students/Students.tsx"))],
  ["/students/:id", page(() => import("../students/Student.tsx"))],
  ["/deployments", page(() => import("../deployments/Deployments.tsx"))],
  ["/deployments/:id", page(() => import("../deployments/Deployment.tsx"))],
  ["/webhooks", page(() => import("../webhooks/Webhooks.tsx"))],
  ["/webhooks/test", page(() => import("../webhooks/SignatureTester.tsx"))],
  ["/webhooks/:endpoint", page(() => import("../webhooks/Endpoint.tsx"))],
  ["/webhooks/:endpoint/:delivery", page(() => import("../webhooks/Delivery.tsx"))],
  ["/billing", page(() => import("../access/Billing.tsx"))],
  ["/sources", page(() => import("../access/Sources.tsx"))],
  ["/tokens", page(() => import("../access/Tokens.tsx"))],
  ["/workspace", page(() => import("../access/Workspace.tsx"))]
]

const Unknown = () => (
  <Page title="There is no such page">
    <p>Choose one in the navigation.</p>
  </Page>
)

export const Routes = () => {
  const [place] = useLocation()
  return (
    // Another page gets another boundary, so that one failure does not stay.
    <LoadBoundary key={place}>
      <Suspense fallback={<Awaited />}>
        <Switch>
          {pages.map(([path, Shown]) => (
            <Route key={path} path={path}>
              {(params) => <Shown params={params as Params} />}
            </Route>
          ))}
          <Route>
            <Unknown />
          </Route>
        </Switch>
      </Suspense>
    </LoadBoundary>
  )
}
