/** The operations of the API by resource, in the order of the loop. */
import type { Answers, Calls } from "./Calls.ts"
import type { ChatRequest, DatasetVersion, Deployment, Pull, Run, Upload } from "./generated/types.ts"
import * as Lines from "./Lines.ts"
import type { RequestOptions, Transport } from "./Transport.ts"
import { makeUploading } from "./Uploading.ts"
import * as Waiting from "./Waiting.ts"

type WaitOptions<A> = Waiting.WaitOptions<A>

/** The caller, its tokens, and models. */
export const access = (call: Calls) => ({
  whoami: call("getWhoami"),
  health: call("getHealth"),
  tokens: {
    create: call("createToken"),
    list: call("listTokens"),
    get: call("getToken"),
    update: call("updateToken"),
    delete: call("deleteToken"),
    rotate: call("rotateToken")
  },
  sources: {
    create: call("createSource"),
    list: call("listSources"),
    get: call("getSource"),
    update: call("updateSource"),
    delete: call("deleteSource"),
    verify: call("verifySource"),
    models: call("listModels")
  }
})

/** From captured calls, files and buckets to versions. */
export const data = (transport: Transport, call: Calls) => {
  const [getUpload, getPull, getVersion] = [call("getUpload"), call("getPull"), call("getDatasetVersion")]
  return {
    calls: { list: call("listCapturedCalls"), get: call("getCapturedCall"), delete: call("deleteCapturedCall") },
    /** Calls, tokens, cost, savings and latency by hour or day. */
    metrics: call("getMetrics"),
    feedback: { create: call("createFeedback"), list: call("listFeedback") },
    /** People judge answers, and each verdict is feedback. */
    reviewQueues: {
      create: call("createReviewQueue"),
      list: call("listReviewQueues"),
      get: call("getReviewQueue"),
      /** The next entry, leased to the caller. */
      next: call("leaseReviewEntry"),
      judge: call("giveReviewVerdict"),
      undo: call("undoReviewVerdict")
    },
    loops: { create: call("createLoop"), list: call("listLoops"), get: call("getLoop"), update: call("updateLoop") },
    uploads: {
      ...makeUploading(transport, call),
      create: call("createUpload"),
      list: call("listUploads"),
      get: getUpload,
      /** Resolves when the upload's rows have been read, or the upload has expired. */
      wait: (id: string, waiting: WaitOptions<Upload> = {}) =>
        Waiting.until(() => getUpload(id, waiting), ["succeeded", "failed", "expired"], waiting)
    },
    connectors: {
      create: call("createConnector"),
      list: call("listConnectors"),
      get: call("getConnector"),
      update: call("updateConnector"),
      delete: call("deleteConnector")
    },
    pulls: {
      /** Of the connector with this id. */
      create: call("createPull"),
      list: call("listPulls"),
      get: getPull,
      wait: (id: string, waiting: WaitOptions<Pull> = {}) =>
        Waiting.until(() => getPull(id, waiting), ["succeeded", "failed"], waiting)
    },
    datasets: { create: call("createDataset"), list: call("listDatasets"), get: call("getDataset") },
    datasetVersions: {
      /** Of the dataset with this id. */
      create: call("createDatasetVersion"),
      list: call("listDatasetVersions"),
      get: getVersion,
      rows: call("listDatasetRows"),
      suspects: call("listDatasetSuspects"),
      export: call("exportDatasetVersion"),
      wait: (id: string, waiting: WaitOptions<DatasetVersion> = {}) =>
        Waiting.until(() => getVersion(id, waiting), ["ready", "failed"], waiting)
    }
  }
}

/** From a proposal to a report. */
export const training = (call: Calls) => {
  const getRun = call("getRun")
  return {
    rewards: {
      create: call("createReward"),
      list: call("listRewards"),
      get: call("getReward"),
      score: call("scoreCompletion")
    },
    recipes: {
      propose: call("proposeRecipe"),
      studentBases: call("listStudentBases"),
      computeProfiles: call("listComputeProfiles")
    },
    runs: {
      create: call("createRun"),
      list: call("listRuns"),
      get: getRun,
      metrics: call("getRunMetrics"),
      logs: call("getRunLogs"),
      cancel: call("cancelRun"),
      retry: call("retryRun"),
      /** States, metrics and logs of the run, resumed after a broken connection; ends with the run. */
      stream: call("streamRun"),
      wait: (id: string, waiting: WaitOptions<Run> = {}) =>
        Waiting.until(() => getRun(id, waiting), ["succeeded", "failed", "canceled"], waiting)
    },
    reports: {
      list: call("listReports"),
      get: call("getReport"),
      share: call("shareReport"),
      unshare: call("unshareReport")
    }
  }
}

/** Students, and who else answers. */
export const serving = (transport: Transport, call: Calls) => ({
  studentModels: {
    create: call("createStudentModel"),
    list: call("listStudentModels"),
    get: call("getStudentModel")
  },
  deployments: {
    create: call("createDeployment"),
    list: call("listDeployments"),
    get: call("getDeployment"),
    /** Resolves when the deployment is ready, or cannot become ready. */
    wait: (id: string, waiting: WaitOptions<Deployment> = {}) =>
      Waiting.until(() => call("getDeployment")(id, waiting), ["ready", "failed", "retired"], waiting),
    update: call("updateDeployment"),
    agreement: call("getDeploymentAgreement"),
    rollback: call("rollbackDeployment"),
    acceptDrift: call("acceptDeploymentDrift"),
    /** Returns the run, whose student is then in the shadow of the alias. */
    retrain: call("retrainDeployment"),
    retire: call("retireDeployment")
  },
  chat: {
    /** The whole answer. */
    send: call("sendMessage"),
    /** Streams `message.delta` for each piece of the answer, and finally `message.completed` or `message.failed`. */
    stream: Object.assign(
      (message: Omit<ChatRequest, "stream" | "webhook">, options: RequestOptions = {}) => {
        const body = JSON.stringify({ ...message, stream: true })
        return Lines.eventsOnce(transport, { method: "POST", path: "/v1/chat", body, isKeyed: true }, options)
      },
      { answers: "events" } satisfies Answers
    )
  },
  agents: {
    create: call("createAgent"),
    list: call("listAgents"),
    get: call("getAgent"),
    update: call("updateAgent"),
    delete: call("deleteAgent")
  },
  conversations: {
    list: call("listConversations"),
    get: call("getConversation"),
    messages: call("listMessages")
  }
})

/** What happened, and who is told. */
export const telling = (call: Calls) => ({
  events: { list: call("listEvents"), get: call("getEvent"), types: call("listEventTypes") },
  webhookEndpoints: {
    create: call("createWebhookEndpoint"),
    list: call("listWebhookEndpoints"),
    get: call("getWebhookEndpoint"),
    update: call("updateWebhookEndpoint"),
    delete: call("deleteWebhookEndpoint"),
    rotateSecret: call("rotateWebhookSecret"),
    ping: call("pingWebhookEndpoint"),
    recover: call("recoverWebhookDeliveries")
  },
  deliveries: {
    /** Of the endpoint with this id. */
    list: call("listWebhookDeliveries"),
    get: call("getWebhookDelivery"),
    redeliver: call("redeliverWebhookDelivery")
  }
})
