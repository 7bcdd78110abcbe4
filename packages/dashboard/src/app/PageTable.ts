/** The table of pages, with a mark on the pages of the webhook engine. */

interface PageRow {
  readonly path: string
  /** Its name in the navigation. */
  readonly link?: string
  /** A host that embeds the webhooks alone has this page too. */
  readonly isOfWebhooks?: boolean
}

/** What the server behind the page serves: everything, or the webhooks alone. */
export type Service = "whole" | "webhooks"

/**
 * Every page of the dashboard, in the order of the loop. Routes, navigation, screenshots and the pages that tests visit have a member
 * for each row: a new row does not compile before each of them has its own.
 */
export const pageTable = {
  home: { path: "/", link: "Home" },
  calls: { path: "/calls", link: "Calls" },
  call: { path: "/calls/:id" },
  data: { path: "/data", link: "Data" },
  upload: { path: "/data/uploads/:id" },
  dataset: { path: "/data/datasets/:id" },
  version: { path: "/data/versions/:id" },
  compareVersions: { path: "/data/compare/:left/:right" },
  connector: { path: "/data/connectors/:id" },
  pull: { path: "/data/pulls/:id" },
  review: { path: "/review/:id" },
  runs: { path: "/runs", link: "Runs" },
  newRun: { path: "/runs/new/:version" },
  compare: { path: "/runs/compare/:left/:right" },
  run: { path: "/runs/:id" },
  reports: { path: "/reports", link: "Reports" },
  report: { path: "/reports/:id" },
  students: { path: "/students", link: "Students" },
  student: { path: "/students/:id" },
  deployments: { path: "/deployments", link: "Deployments" },
  deployment: { path: "/deployments/:id" },
  playground: { path: "/playground", link: "Playground" },
  events: { path: "/events", link: "Events", isOfWebhooks: true },
  event: { path: "/events/:id", isOfWebhooks: true },
  webhooks: { path: "/webhooks", link: "Webhooks", isOfWebhooks: true },
  signatureTester: { path: "/webhooks/test", isOfWebhooks: true },
  endpoint: { path: "/webhooks/:endpoint", isOfWebhooks: true },
  delivery: { path: "/webhooks/:endpoint/:delivery", isOfWebhooks: true },
  billing: { path: "/billing", link: "Billing" },
  sources: { path: "/sources", link: "Sources" },
  tokens: { path: "/tokens", link: "Tokens", isOfWebhooks: true },
  workspace: { path: "/workspace", link: "Workspace" },
  assistant: { path: "/assistant", link: "Assistant" },
  assistantConversation: { path: "/assistant/:id" }
} as const satisfies Readonly<Record<string, PageRow>>

export type PageName = keyof typeof pageTable

export interface LinkedPage extends PageRow {
  readonly link: string
}

const rows: ReadonlyArray<readonly [string, PageRow]> = Object.entries(pageTable)

const isLinked = (page: PageRow): page is LinkedPage => page.link !== undefined

/** The pages of a server, in the order of the table. */
export const pagesOf = (service: Service): ReadonlyArray<PageName> =>
  // The keys of the table.
  rows.flatMap(([name, page]) => (service === "whole" || page.isOfWebhooks === true ? [name as PageName] : []))

/** The pages of a server's navigation. */
export const linkedPages = (service: Service): ReadonlyArray<LinkedPage> =>
  pagesOf(service)
    .map((name): PageRow => pageTable[name])
    .filter(isLinked)

/** The first page of a server. */
export const firstPage = (service: Service): string => (service === "whole" ? pageTable.home : pageTable.webhooks).path
