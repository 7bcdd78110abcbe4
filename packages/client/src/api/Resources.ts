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
  /** Verify the credential. `GET /v1/whoami`. */
  whoami: call("getWhoami"),
  /** Whether storage answers within a second, and takes writes. `GET /healthz`. */
  health: call("getHealth"),
  tokens: {
    /** Make a token; its secret is shown this once. `POST /v1/tokens`, with the scope `tokens:write`. */
    create: call("createToken"),
    /** Tokens, newest first. `GET /v1/tokens`, with the scope `tokens:read`. */
    list: call("listTokens"),
    /** One token. `GET /v1/tokens/{token_id}`, with the scope `tokens:read`. */
    get: call("getToken"),
    /** Change the name or the limits of a token; what is absent stays. `PATCH /v1/tokens/{token_id}`, with the scope `tokens:write`. */
    update: call("updateToken"),
    /** Disable a token at once. `DELETE /v1/tokens/{token_id}`, with the scope `tokens:write`. */
    delete: call("deleteToken"),
    /** Replace a token; the old one dies at once or after the overlap. `POST /v1/tokens/{token_id}/rotate`, with the scope `tokens:write`. */
    rotate: call("rotateToken")
  },
  sources: {
    /** A provider of models; its key is written and never shown. `POST /v1/sources`, with the scope `sources:write`. */
    create: call("createSource"),
    /** Sources of the caller's mode, newest first. `GET /v1/sources`, with the scope `sources:read`. */
    list: call("listSources"),
    /** One source. `GET /v1/sources/{source_id}`, with the scope `sources:read`. */
    get: call("getSource"),
    /** Change a source; what is absent stays. `PATCH /v1/sources/{source_id}`, with the scope `sources:write`. */
    update: call("updateSource"),
    /** Delete a source; calls under way go on. `DELETE /v1/sources/{source_id}`, with the scope `sources:write`. */
    delete: call("deleteSource"),
    /** Ask the upstream for its models, with the source's key. `POST /v1/sources/{source_id}/verify`, with the scope `sources:write`. */
    verify: call("verifySource"),
    /** The models of the managed sources, and those that other sources name, with their prices. `GET /v1/models`, with the scope `sources:read`. */
    models: call("listModels")
  }
})

/** Captured calls, feedback, review queues and loops. */
export const captureMethods = (call: Calls) => ({
  calls: {
    /** Calls that the proxy captured, newest first. `GET /v1/distill/calls`, with the scope `distill:read`. */
    list: call("listCapturedCalls"),
    /** One call, with shadow answers and feedback. `GET /v1/distill/calls/{call_id}`, with the scope `distill:read`. */
    get: call("getCapturedCall"),
    /** Forget a call; versions made of it keep their rows. `DELETE /v1/distill/calls/{call_id}`, with the scope `distill:write`. */
    delete: call("deleteCapturedCall")
  },
  /** Calls, tokens, cost, savings and latency by hour or day, oldest first. `GET /v1/distill/metrics`, with the scope `distill:read`. */
  metrics: call("getMetrics"),
  feedback: {
    /** Rate an answer, by call id or by external id, also before the call. `POST /v1/distill/feedback`, with the scope `distill:write`. */
    create: call("createFeedback"),
    /** Feedback, newest first; filtered by call, including feedback by external id. `GET /v1/distill/feedback`, with the scope `distill:read`. */
    list: call("listFeedback")
  },
  /** People judge answers, and each verdict is feedback. */
  reviewQueues: {
    /** Queue rows of a version, or a deployment's least confident calls, for human review. `POST /v1/distill/review_queues`, with the scope `distill:write`. */
    create: call("createReviewQueue"),
    /** Review queues, newest first. `GET /v1/distill/review_queues`, with the scope `distill:read`. */
    list: call("listReviewQueues"),
    /** One review queue, with the pace of its people and their agreement. `GET /v1/distill/review_queues/{review_queue_id}`, with the scope `distill:read`. */
    get: call("getReviewQueue"),
    /** The next entry, leased to the caller for five minutes, or the one that the caller holds. `POST /v1/distill/review_queues/{review_queue_id}/next`, with the scope `distill:write`. */
    next: call("leaseReviewEntry"),
    /** Judge an entry; the same verdict again counts once, and the next entry comes back. `POST /v1/distill/review_queues/{review_queue_id}/verdicts`, with the scope `distill:write`. */
    judge: call("giveReviewVerdict"),
    /** Take back the caller's verdict on an entry, and its feedback. `POST /v1/distill/review_queues/{review_queue_id}/undo`, with the scope `distill:write`. */
    undo: call("undoReviewVerdict")
  },
  loops: {
    /** A name that ties data, runs and deployments together. `POST /v1/distill/loops`, with the scope `distill:write`. */
    create: call("createLoop"),
    /** Loops, newest first. `GET /v1/distill/loops`, with the scope `distill:read`. */
    list: call("listLoops"),
    /** One loop, with its newest resource of each kind. `GET /v1/distill/loops/{loop_id}`, with the scope `distill:read`. */
    get: call("getLoop"),
    /** Change the name or the description. `PATCH /v1/distill/loops/{loop_id}`, with the scope `distill:write`. */
    update: call("updateLoop")
  }
})

/** From files and buckets to versions. */
export const data = (transport: Transport, call: Calls) => {
  const [getUpload, getPull, getVersion] = [call("getUpload"), call("getPull"), call("getDatasetVersion")]
  return {
    uploads: {
      ...makeUploading(transport, call),
      /** Announce a file of rows, or a student model; its content is sent to upload_url. `POST /v1/distill/uploads`, with the scope `distill:write`. */
      create: call("createUpload"),
      /** Uploads, newest first. `GET /v1/distill/uploads`, with the scope `distill:read`. */
      list: call("listUploads"),
      /** One upload. `GET /v1/distill/uploads/{upload_id}`, with the scope `distill:read`. */
      get: call("getUpload"),
      /** Resolves when the upload's rows have been read, or the upload has expired. */
      wait: (id: string, waiting: WaitOptions<Upload> = {}) =>
        Waiting.waitForEnd(() => getUpload(id, waiting), ["succeeded", "failed", "expired"], waiting)
    },
    connectors: {
      /** A place from which rows can be pulled. `POST /v1/distill/connectors`, with the scope `distill:write`. */
      create: call("createConnector"),
      /** Connectors, newest first. `GET /v1/distill/connectors`, with the scope `distill:read`. */
      list: call("listConnectors"),
      /** One connector, its credential masked. `GET /v1/distill/connectors/{connector_id}`, with the scope `distill:read`. */
      get: call("getConnector"),
      /** Change its name or its configuration, not its kind. `PATCH /v1/distill/connectors/{connector_id}`, with the scope `distill:write`. */
      update: call("updateConnector"),
      /** Forget a connector and its credential; its pulls stay. `DELETE /v1/distill/connectors/{connector_id}`, with the scope `distill:write`. */
      delete: call("deleteConnector")
    },
    pulls: {
      /** Fetch the connector's rows once. `POST /v1/distill/connectors/{connector_id}/pulls`, with the scope `distill:write`. */
      create: call("createPull"),
      /** Pulls, newest first. `GET /v1/distill/pulls`, with the scope `distill:read`. */
      list: call("listPulls"),
      /** One pull. `GET /v1/distill/pulls/{pull_id}`, with the scope `distill:read`. */
      get: call("getPull"),
      wait: (id: string, waiting: WaitOptions<Pull> = {}) =>
        Waiting.waitForEnd(() => getPull(id, waiting), ["succeeded", "failed"], waiting)
    },
    datasets: {
      /** A name under which versions are made. `POST /v1/distill/datasets`, with the scope `distill:write`. */
      create: call("createDataset"),
      /** Datasets, newest first. `GET /v1/distill/datasets`, with the scope `distill:read`. */
      list: call("listDatasets"),
      /** One dataset. `GET /v1/distill/datasets/{dataset_id}`, with the scope `distill:read`. */
      get: call("getDataset")
    },
    datasetVersions: {
      /** Build an immutable version of rows, split into train and holdout. `POST /v1/distill/datasets/{dataset_id}/versions`, with the scope `distill:write`. */
      create: call("createDatasetVersion"),
      /** Versions, newest first. `GET /v1/distill/datasets/{dataset_id}/versions`, with the scope `distill:read`. */
      list: call("listDatasetVersions"),
      /** One version. `GET /v1/distill/dataset_versions/{dataset_version_id}`, with the scope `distill:read`. */
      get: call("getDatasetVersion"),
      /** Rows with their split, in a stable order. `GET /v1/distill/dataset_versions/{dataset_version_id}/rows`, with the scope `distill:read`. */
      rows: call("listDatasetRows"),
      /** Train rows whose answers look wrong, the most suspicious first. `GET /v1/distill/dataset_versions/{dataset_version_id}/suspects`, with the scope `distill:read`. */
      suspects: call("listDatasetSuspects"),
      /** All rows as JSON Lines, streamed. `GET /v1/distill/dataset_versions/{dataset_version_id}/export`, with the scope `distill:read`. */
      export: call("exportDatasetVersion"),
      wait: (id: string, waiting: WaitOptions<DatasetVersion> = {}) =>
        Waiting.waitForEnd(() => getVersion(id, waiting), ["ready", "failed"], waiting)
    }
  }
}

/** From a proposal to a report. */
export const trainingMethods = (call: Calls) => {
  const getRun = call("getRun")
  return {
    rewards: {
      /** A rule that scores completions. `POST /v1/distill/rewards`, with the scope `distill:write`. */
      create: call("createReward"),
      /** Rewards, newest first. `GET /v1/distill/rewards`, with the scope `distill:read`. */
      list: call("listRewards"),
      /** One reward. `GET /v1/distill/rewards/{reward_id}`, with the scope `distill:read`. */
      get: call("getReward"),
      /** Try a reward: score one completion for one row. `POST /v1/distill/rewards/{reward_id}/score`, with the scope `distill:write`. */
      score: call("scoreCompletion")
    },
    recipes: {
      /** Propose a recipe from a version's rows; starts no compute. `POST /v1/distill/recipes/propose`, with the scope `distill:read`. */
      propose: call("proposeRecipe"),
      /** Base models for students. `GET /v1/distill/student_catalog`, with the scope `distill:read`. */
      studentBases: call("listStudentBases"),
      /** Compute profiles for runs, with prices. `GET /v1/distill/compute_profiles`, with the scope `distill:read`. */
      computeProfiles: call("listComputeProfiles")
    },
    runs: {
      /** Rehearse a recipe, or run it live under a hard budget. `POST /v1/distill/runs`, with the scope `distill:write`. */
      create: call("createRun"),
      /** Runs, newest first. `GET /v1/distill/runs`, with the scope `distill:read`. */
      list: call("listRuns"),
      /** The source of truth of a run. `GET /v1/distill/runs/{run_id}`, with the scope `distill:read`. */
      get: call("getRun"),
      /** Metric series, thinned. `GET /v1/distill/runs/{run_id}/metrics`, with the scope `distill:read`. */
      metrics: call("getRunMetrics"),
      /** A window of sanitized log lines. `GET /v1/distill/runs/{run_id}/logs`, with the scope `distill:read`. */
      logs: call("getRunLogs"),
      /** End a run that has not ended. `POST /v1/distill/runs/{run_id}/cancel`, with the scope `distill:write`. */
      cancel: call("cancelRun"),
      /** Queue a failed or canceled run again; may spend again. `POST /v1/distill/runs/{run_id}/retry`, with the scope `distill:write`. */
      retry: call("retryRun"),
      /** Server-sent events of a run until it has ended, resumable. `GET /v1/distill/runs/{run_id}/stream`, with the scope `distill:read`. */
      stream: call("streamRun"),
      wait: (id: string, waiting: WaitOptions<Run> = {}) =>
        Waiting.waitForEnd(() => getRun(id, waiting), ["succeeded", "failed", "canceled"], waiting)
    },
    reports: {
      /** Reports, newest first. `GET /v1/distill/reports`, with the scope `distill:read`. */
      list: call("listReports"),
      /** What a run found out. `GET /v1/distill/reports/{report_id}`, with the scope `distill:read`. */
      get: call("getReport"),
      /** A link that shows the report without a token; it replaces the one before. `POST /v1/distill/reports/{report_id}/share`, with the scope `distill:write`. */
      share: call("shareReport"),
      /** Revoke the link at once. `DELETE /v1/distill/reports/{report_id}/share`, with the scope `distill:write`. */
      unshare: call("unshareReport")
    }
  }
}

/** Students, and who else answers. */
export const servingMethods = (transport: Transport, call: Calls) => ({
  studentModels: {
    /** Register a student that was trained elsewhere. `POST /v1/distill/student_models`, with the scope `distill:write`. */
    create: call("createStudentModel"),
    /** Student models, newest first. `GET /v1/distill/student_models`, with the scope `distill:read`. */
    list: call("listStudentModels"),
    /** One student model. `GET /v1/distill/student_models/{student_model_id}`, with the scope `distill:read`. */
    get: call("getStudentModel")
  },
  deployments: {
    /** Put a student under an alias, to answer or to listen. `POST /v1/distill/deployments`, with the scope `distill:write`. */
    create: call("createDeployment"),
    /** Deployments, newest first. `GET /v1/distill/deployments`, with the scope `distill:read`. */
    list: call("listDeployments"),
    /** One deployment, its student set beside the upstream. `GET /v1/distill/deployments/{deployment_id}`, with the scope `distill:read`. */
    get: call("getDeployment"),
    /** Resolves when the deployment is ready, or cannot become ready. */
    wait: (id: string, waiting: WaitOptions<Deployment> = {}) =>
      Waiting.waitForEnd(() => call("getDeployment")(id, waiting), ["ready", "failed", "retired"], waiting),
    /** Change a deployment, or move it to another student without a gap. `PATCH /v1/distill/deployments/{deployment_id}`, with the scope `distill:write`. */
    update: call("updateDeployment"),
    /** How often the student agreed with the upstream, over time. `GET /v1/distill/deployments/{deployment_id}/agreement`, with the scope `distill:read`. */
    agreement: call("getDeploymentAgreement"),
    /** Return to the student before. `POST /v1/distill/deployments/{deployment_id}/rollback`, with the scope `distill:write`. */
    rollback: call("rollbackDeployment"),
    /** Compare the calls from now on with none from before. `POST /v1/distill/deployments/{deployment_id}/accept_drift`, with the scope `distill:write`. */
    acceptDrift: call("acceptDeploymentDrift"),
    /** Train the student again, on the deployment's calls and its own rows. `POST /v1/distill/deployments/{deployment_id}/retrain`, with the scope `distill:write`. */
    retrain: call("retrainDeployment"),
    /** End a deployment for good; its alias is free at once. `POST /v1/distill/deployments/{deployment_id}/retire`, with the scope `distill:write`. */
    retire: call("retireDeployment")
  },
  chat: {
    /** Ask, and have the answer in place or by a callback. `POST /v1/chat`, with the scope `conversations:write`. */
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
    /** Who answers: instructions, a source and a model. `POST /v1/agents`, with the scope `agents:write`. */
    create: call("createAgent"),
    /** Agents of the caller's mode, newest first. `GET /v1/agents`, with the scope `agents:read`. */
    list: call("listAgents"),
    /** One agent. `GET /v1/agents/{agent_id}`, with the scope `agents:read`. */
    get: call("getAgent"),
    /** Change an agent; what is absent stays. `PATCH /v1/agents/{agent_id}`, with the scope `agents:write`. */
    update: call("updateAgent"),
    /** Delete an agent; its conversations stay. `DELETE /v1/agents/{agent_id}`, with the scope `agents:write`. */
    delete: call("deleteAgent")
  },
  conversations: {
    /** Conversations of the caller's mode, newest first. `GET /v1/conversations`, with the scope `conversations:read`. */
    list: call("listConversations"),
    /** One conversation. `GET /v1/conversations/{conversation_id}`, with the scope `conversations:read`. */
    get: call("getConversation"),
    /** Messages of a conversation, newest first. `GET /v1/conversations/{conversation_id}/messages`, with the scope `conversations:read`. */
    messages: call("listMessages")
  }
})

/** What happened, and who is told. */
export const notificationMethods = (call: Calls) => ({
  events: {
    /** Events, newest first; with order=asc a forward walk that misses none. `GET /v1/events`, with the scope `events:read`. */
    list: call("listEvents"),
    /** One event. `GET /v1/events/{event_id}`, with the scope `events:read`. */
    get: call("getEvent"),
    /** The catalog of event types, not paged. `GET /v1/event_types`. */
    types: call("listEventTypes")
  },
  webhookEndpoints: {
    /** Subscribe a URL to events; the secret is shown this once. `POST /v1/webhook_endpoints`, with the scope `webhooks:write`. */
    create: call("createWebhookEndpoint"),
    /** Endpoints of the caller's mode. `GET /v1/webhook_endpoints`, with the scope `webhooks:read`. */
    list: call("listWebhookEndpoints"),
    /** One endpoint. `GET /v1/webhook_endpoints/{webhook_endpoint_id}`, with the scope `webhooks:read`. */
    get: call("getWebhookEndpoint"),
    /** Change, disable or enable. `PATCH /v1/webhook_endpoints/{webhook_endpoint_id}`, with the scope `webhooks:write`. */
    update: call("updateWebhookEndpoint"),
    /** Delete; outstanding deliveries are dropped. `DELETE /v1/webhook_endpoints/{webhook_endpoint_id}`, with the scope `webhooks:write`. */
    delete: call("deleteWebhookEndpoint"),
    /** A new secret; the one before signs too until the overlap ends. `POST /v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret`, with the scope `webhooks:write`. */
    rotateSecret: call("rotateWebhookSecret"),
    /** Send one signed test event now, also to a disabled endpoint. `POST /v1/webhook_endpoints/{webhook_endpoint_id}/ping`, with the scope `webhooks:write`. */
    ping: call("pingWebhookEndpoint"),
    /** Redeliver, paced, every dead-lettered delivery made since a time. `POST /v1/webhook_endpoints/{webhook_endpoint_id}/recover`, with the scope `webhooks:write`. */
    recover: call("recoverWebhookDeliveries")
  },
  deliveries: {
    /** Deliveries of an endpoint. `GET /v1/webhook_endpoints/{webhook_endpoint_id}/deliveries`, with the scope `webhooks:read`. */
    list: call("listWebhookDeliveries"),
    /** One delivery with every recorded attempt. `GET /v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}`, with the scope `webhooks:read`. */
    get: call("getWebhookDelivery"),
    /** A new cycle of attempts for a dead-lettered delivery of the last 30 days. `POST /v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver`, with the scope `webhooks:write`. */
    redeliver: call("redeliverWebhookDelivery")
  }
})
