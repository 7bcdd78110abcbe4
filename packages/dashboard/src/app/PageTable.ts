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
  webhooks: { path: "/webhooks", link: "Webhooks" },
  signatureTester: { path: "/webhooks/test" },
  endpoint: { path: "/webhooks/:endpoint" },
  delivery: { path: "/webhooks/:endpoint/:delivery" },
  billing: { path: "/billing", link: "Billing" },
  sources: { path: "/sources", link: "Sources" },
  tokens: { path: "/tokens", link: "Tokens" },
  workspace: { path: "/workspace", link: "Workspace" },
  assistant: { path: "/assistant", link: "Assistant" },
  assistantConversation: { path: "/assistant/:id" }
} as const satisfies Readonly<Record<string, { readonly path: string; readonly link?: string }>>

export type PageName = keyof typeof pageTable

/** The pages of the navigation. */
export const linkedPages: ReadonlyArray<{ readonly path: string; readonly link: string }> = Object.values(
  pageTable
).filter((page) => "link" in page)
