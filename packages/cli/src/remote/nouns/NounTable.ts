/**
 * The nouns of the program: each row maps a resource kind to API operations. Operations and columns have the types
 * of the OpenAPI document, so a renamed operation or field does not compile.
 */
import type { filters, Method, OperationId } from "@limbeck/client/operations"

/** Operations that return lists. */
type ListId = keyof typeof filters & OperationId

type ItemOf<Id extends OperationId> = ReturnType<Method<Id>> extends AsyncIterable<infer Item> ? Item : never

/** What people see of an item, by title, in the order of the columns. The first is its id. */
export type Columns = Readonly<Record<string, unknown>>

/** An action on a resource, or its creation. */
export interface Verb {
  readonly operation: OperationId
  readonly about: string
  /** Whether the request has a body, which the command reads from a file. */
  readonly hasBody?: true
  /** Whether nothing brings back what it removes; `--yes` confirms. */
  readonly isFinal?: true
}

export interface Noun {
  readonly about: string
  readonly list: ListId
  readonly columns: (item: unknown) => Columns
  readonly show: OperationId
  readonly verbs: Readonly<Record<string, Verb>>
}

interface NounRow<List extends ListId> extends Omit<Noun, "columns"> {
  readonly list: List
  readonly columns: (item: ItemOf<List>) => Columns
}

const noun = <List extends ListId>(row: NounRow<List>): Noun => ({
  ...row,
  // The list's operation returns these items.
  columns: (item) => row.columns(item as ItemOf<List>)
})

const creating = (operation: OperationId, about: string): Verb => ({ operation, about, hasBody: true })
const updating = (operation: OperationId): Verb => ({ operation, about: "Change the fields in a body", hasBody: true })
const deleting = (operation: OperationId, about: string): Verb => ({ operation, about, isFinal: true })

export const nounTable = {
  calls: noun({
    about: "Captured calls",
    list: "listCapturedCalls",
    show: "getCapturedCall",
    columns: ({ created_at, id, model, outcome, served_by, usage }) => ({
      id,
      model,
      served_by,
      outcome,
      tokens: usage?.total_tokens ?? null,
      created_at
    }),
    verbs: { delete: deleting("deleteCapturedCall", "Delete a call with its request and response") }
  }),
  datasets: noun({
    about: "Datasets",
    list: "listDatasets",
    show: "getDataset",
    columns: ({ created_at, id, loop, name }) => ({ id, name, loop, created_at }),
    verbs: { create: creating("createDataset", "Make a dataset") }
  }),
  versions: noun({
    about: "Versions of a dataset",
    list: "listDatasetVersions",
    show: "getDatasetVersion",
    columns: ({ created_at, holdout_rows, id, status, train_rows }) => ({
      id,
      status,
      train_rows,
      holdout_rows,
      created_at
    }),
    verbs: { create: creating("createDatasetVersion", "Freeze a version of a dataset") }
  }),
  uploads: noun({
    about: "Uploads of rows and of students",
    list: "listUploads",
    show: "getUpload",
    columns: ({ created_at, filename, format, id, rows, status }) => ({
      id,
      status,
      filename,
      format,
      rows,
      created_at
    }),
    verbs: {}
  }),
  runs: noun({
    about: "Runs",
    list: "listRuns",
    show: "getRun",
    columns: ({ created_at, dry_run, id, name, status, totals }) => ({
      id,
      status,
      dry_run,
      name,
      cost_usd: totals.cost_usd,
      created_at
    }),
    verbs: {
      create: creating("createRun", "Start a run"),
      cancel: { operation: "cancelRun", about: "Cancel a run; what it has spent stays spent" },
      retry: { operation: "retryRun", about: "Start a failed or canceled run again, from its last checkpoint" }
    }
  }),
  reports: noun({
    about: "Reports of runs",
    list: "listReports",
    show: "getReport",
    columns: ({ created_at, evaluated_rows, id, run, student_model, summary }) => ({
      id,
      run,
      student_model,
      evaluated_rows,
      summary,
      created_at
    }),
    verbs: {
      share: { operation: "shareReport", about: "Make a link for people without an account" },
      unshare: { operation: "unshareReport", about: "End the link of a report" }
    }
  }),
  students: noun({
    about: "Student models",
    list: "listStudentModels",
    show: "getStudentModel",
    columns: ({ accuracy, base, created_at, id, name, origin }) => ({ id, name, origin, base, accuracy, created_at }),
    verbs: { create: creating("createStudentModel", "Register a student that was trained elsewhere") }
  }),
  deployments: noun({
    about: "Deployments of students behind aliases",
    list: "listDeployments",
    show: "getDeployment",
    columns: ({ alias, created_at, id, mode, status, student_model, traffic_percent }) => ({
      id,
      alias,
      mode,
      status,
      student_model,
      traffic_percent,
      created_at
    }),
    verbs: {
      create: creating("createDeployment", "Put a student behind an alias"),
      update: updating("updateDeployment"),
      rollback: { operation: "rollbackDeployment", about: "Return to the previous student" },
      retire: { operation: "retireDeployment", about: "End a deployment: the fallback answers its alias" }
    }
  }),
  sources: noun({
    about: "Providers of models",
    list: "listSources",
    show: "getSource",
    columns: ({ base_url, created_at, default: isDefault, dialect, id, name }) => ({
      id,
      name,
      dialect,
      default: isDefault,
      base_url,
      created_at
    }),
    verbs: {
      create: creating("createSource", "Name a provider of models"),
      update: updating("updateSource"),
      verify: { operation: "verifySource", about: "Ask the provider whether URL and key are good" },
      delete: deleting("deleteSource", "Delete a source; calls under way go on")
    }
  }),
  endpoints: noun({
    about: "Webhook endpoints",
    list: "listWebhookEndpoints",
    show: "getWebhookEndpoint",
    columns: ({ created_at, enabled_events, id, status, url }) => ({
      id,
      status,
      url,
      enabled_events: enabled_events.join(","),
      created_at
    }),
    verbs: {
      create: creating("createWebhookEndpoint", "Name a receiver of events"),
      update: updating("updateWebhookEndpoint"),
      ping: { operation: "pingWebhookEndpoint", about: "Send a webhook.ping, and show the response" },
      rotate: { operation: "rotateWebhookSecret", about: "Replace the secret, and show the new one this once" },
      delete: deleting("deleteWebhookEndpoint", "Delete an endpoint; its deliveries end")
    }
  }),
  deliveries: noun({
    about: "Deliveries to an endpoint",
    list: "listWebhookDeliveries",
    show: "getWebhookDelivery",
    columns: ({ attempt_count, created_at, event_id, event_type, id, last_response, status }) => ({
      id,
      status,
      event_type,
      event_id,
      attempts: attempt_count,
      response: last_response?.status_code ?? null,
      created_at
    }),
    verbs: { redeliver: { operation: "redeliverWebhookDelivery", about: "Send a delivery again" } }
  }),
  events: noun({
    about: "Events",
    list: "listEvents",
    show: "getEvent",
    columns: ({ created_at, data, id, type }) => ({ id, type, object: data.object["id"], created_at }),
    verbs: {}
  }),
  tokens: noun({
    about: "Tokens of the workspace",
    list: "listTokens",
    show: "getToken",
    columns: ({ environment, id, last_used_at, name, scopes, status }) => ({
      id,
      environment,
      status,
      name,
      scopes: scopes.join(","),
      last_used_at
    }),
    verbs: {
      create: creating("createToken", "Make a token, and show it this once"),
      update: updating("updateToken"),
      rotate: { operation: "rotateToken", about: "Make another in place of a token, and show it this once" },
      delete: deleting("deleteToken", "Disable a token at once")
    }
  }),
  rewards: noun({
    about: "Rewards",
    list: "listRewards",
    show: "getReward",
    columns: ({ created_at, id, kind, name }) => ({ id, kind, name, created_at }),
    verbs: { create: creating("createReward", "Make a reward") }
  }),
  connectors: noun({
    about: "Connectors to buckets and services that have rows",
    list: "listConnectors",
    show: "getConnector",
    columns: ({ created_at, id, kind, name }) => ({ id, kind, name, created_at }),
    verbs: {
      create: creating("createConnector", "Name a place that has rows"),
      update: updating("updateConnector"),
      pull: { operation: "createPull", about: "Fetch its rows now" },
      delete: deleting("deleteConnector", "Delete a connector; pulled rows stay")
    }
  }),
  agents: noun({
    about: "Agents of conversations",
    list: "listAgents",
    show: "getAgent",
    columns: ({ created_at, id, model, name, source }) => ({ id, name, source, model, created_at }),
    verbs: {
      create: creating("createAgent", "Make an agent"),
      update: updating("updateAgent"),
      delete: deleting("deleteAgent", "Delete an agent; its conversations stay")
    }
  })
} as const satisfies Readonly<Record<string, Noun>>
