/** Made of the OpenAPI document by `npm run docs:client`. Do not edit. */
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether storage answers within a second, and takes writes
         * @description Whether storage answers within a second, and takes writes.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description This document.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event_types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The catalog of event types, not paged
         * @description The catalog of event types, not paged.
         */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the credential
         * @description Verify the credential.
         */
        get: operations["getWhoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens, newest first
         * @description Tokens, newest first.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token; its secret is shown this once
         * @description Make a token; its secret is shown this once.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One token
         * @description One token.
         */
        get: operations["getToken"];
        put?: never;
        post?: never;
        /**
         * Disable a token at once
         * @description Disable a token at once.
         */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        /**
         * Change the name or the limits of a token; what is absent stays
         * @description Change the name or the limits of a token; what is absent stays.
         */
        patch: operations["updateToken"];
        trace?: never;
    };
    "/v1/tokens/{token_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a token; the old one dies at once or after the overlap
         * @description Replace a token; the old one dies at once or after the overlap.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sources of the caller's mode, newest first
         * @description Sources of the caller's mode, newest first.
         */
        get: operations["listSources"];
        put?: never;
        /**
         * A provider of models; its key is written and never shown
         * @description A provider of models; its key is written and never shown.
         */
        post: operations["createSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{source_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One source
         * @description One source.
         */
        get: operations["getSource"];
        put?: never;
        post?: never;
        /**
         * Delete a source; calls under way go on
         * @description Delete a source; calls under way go on.
         */
        delete: operations["deleteSource"];
        options?: never;
        head?: never;
        /**
         * Change a source; what is absent stays
         * @description Change a source; what is absent stays.
         */
        patch: operations["updateSource"];
        trace?: never;
    };
    "/v1/sources/{source_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the upstream for its models, with the source's key
         * @description Ask the upstream for its models, with the source's key.
         */
        post: operations["verifySource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The models of the managed sources, and those that other sources name, with their prices
         * @description The models of the managed sources, and those that other sources name, with their prices.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A chat completion by a source, streamed if asked
         * @description A chat completion by a source, streamed if asked.
         */
        post: operations["proxyChatCompletions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A legacy completion of a prompt by a source, streamed if asked
         * @description A legacy completion of a prompt by a source, streamed if asked.
         */
        post: operations["proxyCompletions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Embeddings by a source
         * @description Embeddings by a source.
         */
        post: operations["proxyEmbeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A response by a source, streamed if asked
         * @description A response by a source, streamed if asked.
         */
        post: operations["proxyResponses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decisions by a source, for questions in OpenAI's form or System One's
         * @description Decisions by a source, for questions in OpenAI's form or System One's.
         */
        post: operations["proxyDecisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/api/alpha/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decisions by a source, at the path of OpenRouter's clients
         * @description Decisions by a source, at the path of OpenRouter's clients.
         */
        post: operations["proxyAlphaDecisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/systemone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decisions by a source, for questions in System One's form or OpenAI's
         * @description Decisions by a source, for questions in System One's form or OpenAI's.
         */
        post: operations["proxySystemOne"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/v1/systemone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decisions by a source, at the path that System One's clients append
         * @description Decisions by a source, at the path that System One's clients append.
         */
        post: operations["proxyPrefixedSystemOne"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message by a source of Anthropic's dialect, streamed if asked
         * @description A message by a source of Anthropic's dialect, streamed if asked.
         */
        post: operations["proxyMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message, at the path that Anthropic's clients append to a base URL
         * @description A message, at the path that Anthropic's clients append to a base URL.
         */
        post: operations["proxyPrefixedMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The tokens of a message's input, counted by a source; not captured
         * @description The tokens of a message's input, counted by a source; not captured.
         */
        post: operations["proxyCountTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The tokens of a message's input, at the path of Anthropic's clients
         * @description The tokens of a message's input, at the path of Anthropic's clients.
         */
        post: operations["proxyPrefixedCountTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The models of a source and of deployments
         * @description The models of a source and of deployments.
         */
        get: operations["proxyModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The models, at the path that clients append to a base URL
         * @description The models, at the path that clients append to a base URL.
         */
        get: operations["proxyPrefixedModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One model of a source, or one that is deployed
         * @description One model of a source, or one that is deployed.
         */
        get: operations["proxyModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls that the proxy captured, newest first
         * @description Calls that the proxy captured, newest first.
         */
        get: operations["listCapturedCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/calls/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One call, what shadows answered, and what was said of it
         * @description One call, what shadows answered, and what was said of it.
         */
        get: operations["getCapturedCall"];
        put?: never;
        post?: never;
        /**
         * Forget a call; versions made of it keep their rows
         * @description Forget a call; versions made of it keep their rows.
         */
        delete: operations["deleteCapturedCall"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Feedback, newest first; of a call, that of its external id too
         * @description Feedback, newest first; of a call, that of its external id too.
         */
        get: operations["listFeedback"];
        put?: never;
        /**
         * Say what an answer was worth; an external id may be of calls to come
         * @description Say what an answer was worth; an external id may be of calls to come.
         */
        post: operations["createFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, tokens, cost, savings and latency by hour or day, oldest first
         * @description Calls, tokens, cost, savings and latency by hour or day, oldest first.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/loops": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Loops, newest first
         * @description Loops, newest first.
         */
        get: operations["listLoops"];
        put?: never;
        /**
         * A name that ties data, runs and deployments together
         * @description A name that ties data, runs and deployments together.
         */
        post: operations["createLoop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/loops/{loop_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One loop, with the latest of what belongs to it
         * @description One loop, with the latest of what belongs to it.
         */
        get: operations["getLoop"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name or the description
         * @description Change the name or the description.
         */
        patch: operations["updateLoop"];
        trace?: never;
    };
    "/v1/distill/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Uploads, newest first
         * @description Uploads, newest first.
         */
        get: operations["listUploads"];
        put?: never;
        /**
         * Announce a file of rows, or a student model; its content is sent to upload_url
         * @description Announce a file of rows, or a student model; its content is sent to upload_url.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One upload
         * @description One upload.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/uploads/{upload_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send the content of an upload, plain or gzip
         * @description Send the content of an upload, plain or gzip.
         */
        put: operations["putUploadContent"];
        post?: never;
        delete?: never;
        options?: never;
        /**
         * How much of the content is here: bytes, in the header Upload-Offset, where the next range begins
         * @description How much of the content is here: bytes, in the header Upload-Offset, where the next range begins.
         */
        head: operations["headUploadContent"];
        patch?: never;
        trace?: never;
    };
    "/v1/distill/connectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Connectors, newest first
         * @description Connectors, newest first.
         */
        get: operations["listConnectors"];
        put?: never;
        /**
         * A place from which rows can be pulled
         * @description A place from which rows can be pulled.
         */
        post: operations["createConnector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/connectors/{connector_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One connector, its credential masked
         * @description One connector, its credential masked.
         */
        get: operations["getConnector"];
        put?: never;
        post?: never;
        /**
         * Forget a connector and its credential; its pulls stay
         * @description Forget a connector and its credential; its pulls stay.
         */
        delete: operations["deleteConnector"];
        options?: never;
        head?: never;
        /**
         * Change its name or its configuration, not its kind
         * @description Change its name or its configuration, not its kind.
         */
        patch: operations["updateConnector"];
        trace?: never;
    };
    "/v1/distill/connectors/{connector_id}/pulls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch the connector's rows once
         * @description Fetch the connector's rows once.
         */
        post: operations["createPull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/pulls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pulls, newest first
         * @description Pulls, newest first.
         */
        get: operations["listPulls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/pulls/{pull_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One pull
         * @description One pull.
         */
        get: operations["getPull"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Datasets, newest first
         * @description Datasets, newest first.
         */
        get: operations["listDatasets"];
        put?: never;
        /**
         * A name under which versions are made
         * @description A name under which versions are made.
         */
        post: operations["createDataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/datasets/{dataset_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One dataset
         * @description One dataset.
         */
        get: operations["getDataset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/datasets/{dataset_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Versions, newest first
         * @description Versions, newest first.
         */
        get: operations["listDatasetVersions"];
        put?: never;
        /**
         * Build an immutable version of rows, split into train and holdout
         * @description Build an immutable version of rows, split into train and holdout.
         */
        post: operations["createDatasetVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/dataset_versions/{dataset_version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One version
         * @description One version.
         */
        get: operations["getDatasetVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/dataset_versions/{dataset_version_id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows with their split, in a stable order
         * @description Rows with their split, in a stable order.
         */
        get: operations["listDatasetRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/dataset_versions/{dataset_version_id}/suspects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Train rows whose answers look wrong, the most suspicious first
         * @description Train rows whose answers look wrong, the most suspicious first.
         */
        get: operations["listDatasetSuspects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/dataset_versions/{dataset_version_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All rows as JSON Lines, streamed
         * @description All rows as JSON Lines, streamed.
         */
        get: operations["exportDatasetVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/rewards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rewards, newest first
         * @description Rewards, newest first.
         */
        get: operations["listRewards"];
        put?: never;
        /**
         * A rule that scores completions
         * @description A rule that scores completions.
         */
        post: operations["createReward"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/rewards/{reward_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One reward
         * @description One reward.
         */
        get: operations["getReward"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/rewards/{reward_id}/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Score one completion of one row, to try a reward out
         * @description Score one completion of one row, to try a reward out.
         */
        post: operations["scoreCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/recipes/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose a recipe from a version's rows; starts no compute
         * @description Propose a recipe from a version's rows; starts no compute.
         */
        post: operations["proposeRecipe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/student_catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Base models that a student can be made of
         * @description Base models that a student can be made of.
         */
        get: operations["listStudentBases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/compute_profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a run is computed on, and its price
         * @description What a run is computed on, and its price.
         */
        get: operations["listComputeProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs, newest first
         * @description Runs, newest first.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Rehearse a recipe, or run it live under a hard budget
         * @description Rehearse a recipe, or run it live under a hard budget.
         */
        post: operations["createRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The source of truth of a run
         * @description The source of truth of a run.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metric series, thinned
         * @description Metric series, thinned.
         */
        get: operations["getRunMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A window of sanitized log lines
         * @description A window of sanitized log lines.
         */
        get: operations["getRunLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a run that has not ended
         * @description End a run that has not ended.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a failed or canceled run again; may spend again
         * @description Queue a failed or canceled run again; may spend again.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/runs/{run_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Server-sent events of a run until it has ended, resumable
         * @description Server-sent events of a run until it has ended, resumable.
         */
        get: operations["streamRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports, newest first
         * @description Reports, newest first.
         */
        get: operations["listReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a run found out
         * @description What a run found out.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/reports/{report_id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A link that shows the report without a token; it replaces the one before
         * @description A link that shows the report without a token; it replaces the one before.
         */
        post: operations["shareReport"];
        /**
         * Revoke the link at once
         * @description Revoke the link at once.
         */
        delete: operations["unshareReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared/reports/{share_token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A shared report: JSON, or a page for Accept: text/html
         * @description A shared report: JSON, or a page for Accept: text/html.
         */
        get: operations["getSharedReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/student_models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Student models, newest first
         * @description Student models, newest first.
         */
        get: operations["listStudentModels"];
        put?: never;
        /**
         * Register a student that was trained elsewhere
         * @description Register a student that was trained elsewhere.
         */
        post: operations["createStudentModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/student_models/{student_model_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One student model
         * @description One student model.
         */
        get: operations["getStudentModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deployments, newest first
         * @description Deployments, newest first.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Put a student under an alias, to answer or to listen
         * @description Put a student under an alias, to answer or to listen.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One deployment, its student set beside the upstream
         * @description One deployment, its student set beside the upstream.
         */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a deployment, or move it to another student without a gap
         * @description Change a deployment, or move it to another student without a gap.
         */
        patch: operations["updateDeployment"];
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How often the student agreed with the upstream, over time
         * @description How often the student agreed with the upstream, over time.
         */
        get: operations["getDeploymentAgreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return to the student before
         * @description Return to the student before.
         */
        post: operations["rollbackDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}/accept_drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the calls from now on with none from before
         * @description Compare the calls from now on with none from before.
         */
        post: operations["acceptDeploymentDrift"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}/retrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Train the student again, on the deployment's calls and its own rows
         * @description Train the student again, on the deployment's calls and its own rows.
         */
        post: operations["retrainDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/deployments/{deployment_id}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a deployment for good; its alias is free at once
         * @description End a deployment for good; its alias is free at once.
         */
        post: operations["retireDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/review_queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Review queues, newest first
         * @description Review queues, newest first.
         */
        get: operations["listReviewQueues"];
        put?: never;
        /**
         * Collect rows of a version, or calls of a deployment whose student was least sure, for people to judge
         * @description Collect rows of a version, or calls of a deployment whose student was least sure, for people to judge.
         */
        post: operations["createReviewQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/review_queues/{review_queue_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One review queue, with the pace of its people and their agreement
         * @description One review queue, with the pace of its people and their agreement.
         */
        get: operations["getReviewQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/review_queues/{review_queue_id}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next entry, leased to the caller for five minutes, or the one that the caller holds
         * @description The next entry, leased to the caller for five minutes, or the one that the caller holds.
         */
        post: operations["leaseReviewEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/review_queues/{review_queue_id}/verdicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Judge an entry; the same verdict again counts once, and the next entry comes back
         * @description Judge an entry; the same verdict again counts once, and the next entry comes back.
         */
        post: operations["giveReviewVerdict"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/distill/review_queues/{review_queue_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back the caller's verdict on an entry, and its feedback
         * @description Take back the caller's verdict on an entry, and its feedback.
         */
        post: operations["undoReviewVerdict"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask, and have the answer in place or by a callback
         * @description Ask, and have the answer in place or by a callback.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Agents of the caller's mode, newest first
         * @description Agents of the caller's mode, newest first.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Who answers: instructions, a source and a model
         * @description Who answers: instructions, a source and a model.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One agent
         * @description One agent.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent; its conversations stay
         * @description Delete an agent; its conversations stay.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Change an agent; what is absent stays
         * @description Change an agent; what is absent stays.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Conversations of the caller's mode, newest first
         * @description Conversations of the caller's mode, newest first.
         */
        get: operations["listConversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{conversation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One conversation
         * @description One conversation.
         */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{conversation_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was said in a conversation, newest first
         * @description What was said in a conversation, newest first.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events, newest first; with order=asc a forward walk that misses none
         * @description Events, newest first; with order=asc a forward walk that misses none.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One event
         * @description One event.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Endpoints of the caller's mode
         * @description Endpoints of the caller's mode.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Subscribe a URL to events; the secret is shown this once
         * @description Subscribe a URL to events; the secret is shown this once.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One endpoint
         * @description One endpoint.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete; outstanding deliveries are dropped
         * @description Delete; outstanding deliveries are dropped.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable
         * @description Change, disable or enable.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliveries of an endpoint
         * @description Deliveries of an endpoint.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One delivery with every recorded attempt
         * @description One delivery with every recorded attempt.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret; the one before signs too until the overlap ends
         * @description A new secret; the one before signs too until the overlap ends.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send one signed webhook.ping now, also to a disabled endpoint
         * @description Send one signed webhook.ping now, also to a disabled endpoint.
         */
        post: operations["pingWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver, paced, every dead-lettered delivery made since a time
         * @description Redeliver, paced, every dead-lettered delivery made since a time.
         */
        post: operations["recoverWebhookDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new cycle of attempts for a dead-lettered delivery of the last 30 days
         * @description A new cycle of attempts for a dead-lettered delivery of the last 30 days.
         */
        post: operations["redeliverWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /**
             * @description On the proxy's messages routes alone: Anthropic's clients read it
             * @enum {string}
             */
            type?: "error";
            error: {
                type: string;
                code: string;
                message: string;
                param: string | null;
                request_id: string;
                retry_after_seconds?: number;
            };
        };
        WebhookDelivery: {
            id: string;
            /** @enum {string} */
            object: "webhook_delivery";
            livemode: boolean;
            webhook_endpoint_id: string;
            event_id: string;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "failed" | "succeeded" | "dead_lettered";
            attempt_count: number;
            last_response: {
                status_code: number | null;
                body_snippet: string;
                duration_ms: number;
                error: string | null;
            };
            next_retry_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * Format: date-time
         * @description ISO 8601, UTC, with milliseconds
         */
        Timestamp: string;
        WebhookRecovery: {
            queued: number;
        };
        WebhookRecover: {
            /** Format: date-time */
            since: string;
        };
        WebhookPing: {
            /** @enum {string} */
            object: "webhook_ping";
            delivered: boolean;
            status_code: number | null;
            body_snippet: string;
            duration_ms: number;
            error: string | null;
        };
        WebhookEndpointWithSecret: {
            id: string;
            /** @enum {string} */
            object: "webhook_endpoint";
            livemode: boolean;
            /** Format: uri */
            url: string;
            description: string;
            enabled_events: string[];
            api_version: string;
            /** @enum {string} */
            status: "enabled" | "disabled";
            previous_secret_expires_at: components["schemas"]["Timestamp"] | null;
            delivery_stats: {
                success_rate_24h: number | null;
                pending: number;
                dead_lettered: number;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            secret: string;
        };
        WebhookSecretRotate: {
            expires_in_seconds?: number | null;
        };
        WebhookDeliveryDetail: {
            id: string;
            /** @enum {string} */
            object: "webhook_delivery";
            livemode: boolean;
            webhook_endpoint_id: string;
            event_id: string;
            event_type: string;
            /** @enum {string} */
            status: "pending" | "failed" | "succeeded" | "dead_lettered";
            attempt_count: number;
            last_response: {
                status_code: number | null;
                body_snippet: string;
                duration_ms: number;
                error: string | null;
            };
            next_retry_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            attempts: components["schemas"]["WebhookDeliveryAttempt"][];
        };
        WebhookDeliveryAttempt: {
            id: string;
            /** @enum {string} */
            object: "webhook_delivery_attempt";
            attempt: number;
            /** @enum {string} */
            trigger: "automatic" | "manual";
            status_code: number | null;
            body_snippet: string;
            duration_ms: number;
            error: string | null;
            started_at: components["schemas"]["Timestamp"];
        };
        WebhookEndpointDeleted: {
            id: string;
            /** @enum {string} */
            object: "webhook_endpoint";
            /** @enum {boolean} */
            deleted: true;
        };
        WebhookEndpoint: {
            id: string;
            /** @enum {string} */
            object: "webhook_endpoint";
            livemode: boolean;
            /** Format: uri */
            url: string;
            description: string;
            enabled_events: string[];
            api_version: string;
            /** @enum {string} */
            status: "enabled" | "disabled";
            previous_secret_expires_at: components["schemas"]["Timestamp"] | null;
            delivery_stats: {
                success_rate_24h: number | null;
                pending: number;
                dead_lettered: number;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        WebhookEndpointUpdate: {
            url?: string | null;
            description?: string | null;
            enabled_events?: string[] | null;
            api_version?: ("2026-11-01" | "2026-10-01") | null;
            status?: ("enabled" | "disabled") | null;
        };
        WebhookEndpointCreate: {
            /** Format: uri */
            url: string;
            description?: string | null;
            enabled_events: string[];
            api_version?: ("2026-11-01" | "2026-10-01") | null;
        };
        Event: {
            id: string;
            /** @enum {string} */
            object: "event";
            type: string;
            created_at: components["schemas"]["Timestamp"];
            workspace_id: string;
            livemode: boolean;
            api_version: string;
            data: {
                object: Record<string, unknown>;
            };
        };
        /** @description What a caller said (`role` user), or what answers it. `question` is the message that an answer is to, `call` its captured call. */
        Message: {
            id: string;
            /** @enum {string} */
            object: "message";
            livemode: boolean;
            conversation: string;
            session: string;
            /** @enum {string} */
            role: "user" | "assistant";
            /** @enum {string} */
            status: "queued" | "completed" | "failed" | "handed_off";
            text: string;
            author: string;
            agent: string | null;
            channel: string | null;
            question: string | null;
            handoff_url: string | null;
            latency_ms: number | null;
            call: string | null;
            error: {
                code: string;
                message: string;
            } | null;
            callback: {
                /** Format: uri */
                url: string;
                delivery_id: string;
                /** @enum {string} */
                status: "pending" | "attempted" | "succeeded" | "failed";
                status_code: number | null;
                error: string | null;
                attempted_at: components["schemas"]["Timestamp"] | null;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description `agent` and `channel` are those of its last question */
        Conversation: {
            id: string;
            /** @enum {string} */
            object: "conversation";
            livemode: boolean;
            session: string;
            agent: string | null;
            channel: string | null;
            sandbox: boolean;
            message_count: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        AgentDeleted: {
            id: string;
            /** @enum {string} */
            object: "agent";
            /** @enum {boolean} */
            deleted: true;
        };
        /** @description Without a source the default one is asked, and without a model the first that the source names */
        Agent: {
            id: string;
            /** @enum {string} */
            object: "agent";
            livemode: boolean;
            name: string;
            instructions: string;
            source: string | null;
            model: string | null;
            handoff_url: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        AgentUpdate: {
            name?: string | null;
            instructions?: string | null;
            /** @description null: the default source */
            source?: string | null;
            /** @description null: the first that the source names */
            model?: string | null;
            /** @description null: none */
            handoff_url?: string | null;
        };
        AgentCreate: {
            name: string;
            instructions?: string | null;
            /** @description null: the default source */
            source?: string | null;
            /** @description null: the first that the source names */
            model?: string | null;
            /** @description null: none */
            handoff_url?: string | null;
        };
        /** @description The answer that is to come to `webhook` */
        MessageQueued: {
            id: string;
            /** @enum {string} */
            object: "message";
            /** @enum {string} */
            status: "queued";
            conversation: string;
            session: string;
        };
        /** @description `stream` sends the answer as it comes; it does not go with `webhook` */
        ChatRequest: {
            text: string;
            agent?: string | null;
            conversation?: string | null;
            session?: string | null;
            channel?: string | null;
            webhook?: string | null;
            author?: string | null;
            stream?: boolean | null;
        };
        ReviewTurn: {
            /** @enum {string} */
            object: "review_turn";
            queue: components["schemas"]["ReviewQueue"];
            /** @description Leased to the caller; null when nothing is left to judge */
            entry: {
                /** @description From 1: names the entry in a verdict */
                entry: number;
                /** @description The prompt */
                messages: Record<string, unknown>[];
                answer: string;
                /** @description The most probable other answer to a suspect */
                suggested: string | null;
                /** @description Of the suggested answer, or of the student in its answer to the call */
                confidence: number | null;
                /** @description The most similar train rows; empty beyond the first suspects */
                neighbours: {
                    /** @description The beginning of the row's last message */
                    text: string;
                    answer: string;
                    /** @description Cosine of the two rows' features */
                    similarity: number;
                }[];
                /** @description The answers to choose among, likely ones first; empty where the answers are no closed set */
                labels: string[];
                call: string | null;
                /** @description Whether a student gave the answer */
                by_student: boolean;
                leased_until: components["schemas"]["Timestamp"];
            } | null;
            /** @description Entries that the caller may judge now, this one included */
            left: number;
            /** @description The entry of the caller's last verdict: what an undo names */
            last: number | null;
        };
        ReviewQueue: {
            id: string;
            /** @enum {string} */
            object: "review_queue";
            livemode: boolean;
            /** @enum {string} */
            of: "suspects" | "holdout" | "unsure";
            dataset_version: string | null;
            deployment: string | null;
            entries: number;
            /** @description Entries with a verdict; skipping is none */
            judged: number;
            /** @description Entries without an answer that a person can judge, or whose call was removed */
            gone: number;
            people: {
                by: {
                    /** @enum {string} */
                    kind: "person" | "token" | "operator";
                    id: string | null;
                };
                verdicts: number;
                skipped: number;
                /** @description Verdicts per minute of work; pauses of five minutes and more are left out */
                per_minute: number | null;
            }[];
            /** @description Entries that two people judged, and the share on which they say the same */
            agreement: {
                pairs: number;
                agreed: number;
                value: number | null;
            };
            created_at: components["schemas"]["Timestamp"];
        };
        ReviewUndo: {
            entry: number;
        };
        ReviewVerdict: {
            entry: number;
            /** @enum {string} */
            verdict: "right" | "wrong" | "correction" | "skip";
            /** @description Of a `correction`: the right answer, one of the entry's labels where it has any */
            answer?: string | null;
        };
        ReviewQueueCreate: {
            dataset_version?: string | null;
            deployment?: string | null;
            /** @description Of a version: the rows whose answers look wrong, or a random sample of the holdout, by which reports speak of reviewers */
            of?: ("suspects" | "holdout") | null;
            limit?: number | null;
            /** @description The share of the entries that two people judge, so that their agreement is known */
            shared?: number | null;
        } & (unknown | unknown);
        /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
        DeploymentWithFigures: {
            id: string;
            /** @enum {string} */
            object: "deployment";
            livemode: boolean;
            alias: string;
            model: string;
            /** @enum {string} */
            mode: "active" | "shadow";
            /** @enum {string} */
            status: "provisioning" | "ready" | "failed" | "retired";
            student_model: string;
            previous_student_model: string | null;
            loop: string | null;
            fallback: {
                source: string;
                model: string;
                below_confidence: number | null;
            } | null;
            /** @enum {string} */
            on_fallback_failure: "answer" | "fail";
            traffic_percent: number;
            timeout_ms: number;
            endpoint: {
                /** Format: uri */
                base_url: string;
                model: string;
                api_key_last4: string | null;
            } | null;
            managed: boolean;
            guard: {
                min_agreement: number | null;
                verify_percent: number;
                /** @enum {string} */
                on_breach: "fallback" | "notify";
                breach: {
                    min_agreement: number;
                    value: number;
                    low: number;
                    high: number;
                    comparisons: number;
                    question: string | null;
                    /** @enum {string} */
                    by: "agreement" | "difference";
                } | null;
            } | null;
            guarded_at: components["schemas"]["Timestamp"] | null;
            drifted_at: components["schemas"]["Timestamp"] | null;
            error: {
                code: string;
                message: string;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            retired_at: components["schemas"]["Timestamp"] | null;
            agreement: {
                value: number;
                low: number;
                high: number;
                comparisons: number;
                method: string;
                questions: {
                    question: string;
                    name: string | null;
                    min_agreement: number;
                    value: number;
                    low: number;
                    high: number;
                    comparisons: number;
                    guarded_at: components["schemas"]["Timestamp"] | null;
                }[];
            } | null;
            drift: {
                since: components["schemas"]["Timestamp"];
                calls: number;
                fallback_share: {
                    before: number;
                    now: number;
                    by_chance: number;
                } | null;
                reasons: {
                    [key: string]: number;
                };
                confidence: {
                    before: number;
                    now: number;
                    by_chance: number;
                } | null;
                labels: {
                    distance: number;
                    by_chance: number;
                } | null;
                new_templates: number | null;
            };
            figures: {
                calls: {
                    upstream: number;
                    student: number;
                    shadow: number;
                    upstream_fallback: number;
                    mixed: number;
                };
                failed: number;
                shadowed: number;
                shadow_failed: number;
                compared: number;
                agreed: number;
                agreement: number | null;
                student_latency_ms_mean: number | null;
                upstream_latency_ms_mean: number | null;
                upstream_cost_usd: number | null;
                upstream_cost_usd_mean: number | null;
                cost_saved_usd: number | null;
                questions: {
                    question: string;
                    name: string | null;
                    answered_here: number;
                    asked: number;
                    compared: number;
                    disagreed: number;
                }[];
            };
        };
        Run: {
            id: string;
            /** @enum {string} */
            object: "distill_run";
            livemode: boolean;
            name: string | null;
            /** @enum {string} */
            status: "queued" | "validating" | "running" | "evaluating" | "succeeded" | "failed" | "canceled";
            dry_run: boolean;
            dataset_version: string;
            student_model_name: string | null;
            recipe: Record<string, unknown>;
            plan_hash: string;
            validated_dry_run: string | null;
            compute: {
                profile: string;
                machine: string | null;
                spot: boolean;
                gpu: string | null;
            };
            totals: {
                gpu_seconds: number;
                judge_tokens: number;
                candidate_tokens: number;
                cost_usd: number;
            };
            budget: {
                max_cost_usd: number;
            };
            executor: string;
            warnings: string[];
            report: string | null;
            student_model: string | null;
            loop: string | null;
            retrains: string | null;
            current_stage: {
                seq: number;
                kind: string;
                /** @enum {string} */
                status: "pending" | "running" | "succeeded" | "failed" | "canceled" | "skipped";
            };
            stages: components["schemas"]["RunStage"][];
            error: {
                code: string;
                message: string;
                stage: number;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        RunStage: {
            seq: number;
            kind: string;
            /** @enum {string} */
            status: "pending" | "running" | "succeeded" | "failed" | "canceled" | "skipped";
            attempt: number;
            config: Record<string, unknown>;
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            metrics: {
                [key: string]: number;
            };
            error: {
                code: string;
                message: string;
            } | null;
            logs_available: boolean;
        };
        /** @description `budget` is of the run. A test token's is a dry run, which trains and deploys nothing */
        DeploymentRetrain: {
            budget: {
                max_cost_usd: number;
            };
            dry_run?: boolean | null;
        };
        /** @description What is absent stays, of `endpoint` and `guard` too */
        DeploymentUpdate: {
            student_model?: string | null;
            mode?: ("active" | "shadow") | null;
            /** @description null: none */
            fallback?: {
                source: string;
                model: string;
                /** @description null: no threshold */
                below_confidence?: number | null;
            } | null;
            on_fallback_failure?: ("answer" | "fail") | null;
            traffic_percent?: number | null;
            timeout_ms?: number | null;
            /** @description null: expressly none */
            guard?: {
                /** @description null: the lower bound of the student's evidence */
                min_agreement?: number | null;
                verify_percent?: number | null;
                on_breach?: ("fallback" | "notify") | null;
            } | null;
            /** @description null: none */
            endpoint?: {
                base_url?: string | null;
                model?: string | null;
                /** @description null: none */
                api_key?: string | null;
            } | null;
        };
        /** @description How often the student said the same as the upstream, in shadow and when it was verified, since the deployment has it: in at most 60 periods of equal length, oldest first; those without a comparison are left out. `compared` and `agreed` are of the period, `agreement` of all comparisons until its end, with a 95 % confidence sequence. Made of the shadow results that are kept */
        DeploymentAgreement: {
            /** @enum {string} */
            object: "deployment_agreement";
            deployment: string;
            since: components["schemas"]["Timestamp"];
            method: string;
            periods: {
                until: components["schemas"]["Timestamp"];
                compared: number;
                agreed: number;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                };
            }[];
        };
        Deployment: {
            id: string;
            /** @enum {string} */
            object: "deployment";
            livemode: boolean;
            alias: string;
            model: string;
            /** @enum {string} */
            mode: "active" | "shadow";
            /** @enum {string} */
            status: "provisioning" | "ready" | "failed" | "retired";
            student_model: string;
            previous_student_model: string | null;
            loop: string | null;
            fallback: {
                source: string;
                model: string;
                below_confidence: number | null;
            } | null;
            /** @enum {string} */
            on_fallback_failure: "answer" | "fail";
            traffic_percent: number;
            timeout_ms: number;
            endpoint: {
                /** Format: uri */
                base_url: string;
                model: string;
                api_key_last4: string | null;
            } | null;
            managed: boolean;
            guard: {
                min_agreement: number | null;
                verify_percent: number;
                /** @enum {string} */
                on_breach: "fallback" | "notify";
                breach: {
                    min_agreement: number;
                    value: number;
                    low: number;
                    high: number;
                    comparisons: number;
                    question: string | null;
                    /** @enum {string} */
                    by: "agreement" | "difference";
                } | null;
            } | null;
            guarded_at: components["schemas"]["Timestamp"] | null;
            drifted_at: components["schemas"]["Timestamp"] | null;
            error: {
                code: string;
                message: string;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            retired_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description `fallback` is required of an active one whose `traffic_percent` is below 100; `endpoint` of an llm student. `guard` is on by default: a student without evidence is not made active; null is expressly off */
        DeploymentCreate: {
            alias: string;
            student_model: string;
            /** @enum {string} */
            mode: "active" | "shadow";
            /** @description null: none */
            fallback?: {
                source: string;
                model: string;
                /** @description null: no threshold */
                below_confidence?: number | null;
            } | null;
            on_fallback_failure?: ("answer" | "fail") | null;
            traffic_percent?: number | null;
            timeout_ms?: number | null;
            /** @description null: expressly none */
            guard?: {
                /** @description null: the lower bound of the student's evidence */
                min_agreement?: number | null;
                verify_percent?: number | null;
                on_breach?: ("fallback" | "notify") | null;
            } | null;
            /** @description null: none */
            endpoint?: {
                /** Format: uri */
                base_url: string;
                model: string;
                /** @description null: none */
                api_key?: string | null;
            } | null;
        };
        /** @description Of `origin` `external`: `report`, `dataset_version` and `accuracy` are those of its latest evaluation, null before it */
        StudentModel: {
            id: string;
            /** @enum {string} */
            object: "student_model";
            livemode: boolean;
            /** @enum {string} */
            origin: "run" | "external";
            name: string | null;
            base: string;
            run: string | null;
            report: string | null;
            dataset_version: string | null;
            executor: string;
            endpoint: {
                /** Format: uri */
                base_url: string;
                model: string;
                api_key_last4: string | null;
                input_per_million: number | null;
                output_per_million: number | null;
            } | null;
            artifact: {
                sha256: string;
                bytes: number;
                format: string;
            } | null;
            accuracy: number | null;
            /** @description By ascending `threshold` (`below_confidence`), at most 200: the share of holdout rows that the student answers, and its agreement with the teacher on them with a 95 % interval, by the weights of the rows; null without answered rows. `[]` without an evaluation */
            agreement_at: {
                threshold: number;
                share: number;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
            }[];
            /** @description What a student of decisions answers; empty for other students. `threshold` null: not learnt well enough to answer alone */
            questions: {
                question: string;
                name: string | null;
                /** @enum {string} */
                kind: "predicate" | "choice" | "score";
                options: {
                    value: string | boolean;
                    description?: string;
                }[];
                threshold: number | null;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
            }[];
            /** @description Its agreement on the holdout rows of each system prompt that it learnt, and the least `threshold` at which the lower bound of the agreement reaches 0.98, null where none does; it is advice, and a deployment has one `below_confidence`. `[]` without prompts or an evaluation */
            templates: {
                id: string;
                threshold: number | null;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                };
            }[];
            unlike: components["schemas"]["Unlike"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The shares sent away as out_of_distribution, measured at the training: of rows held back as they are, of the same rows with harmless changes by name, and of other tasks, languages and bytes */
        Unlike: {
            rows: number;
            as_they_are: number;
            changed: {
                [key: string]: number;
            };
            others: {
                [key: string]: number;
            };
        };
        /** @description `endpoint` is where it answers chat completions; `artifact` instead is an upload of the format `student_model`, with the digest of its bytes, which this server serves. Without either it cannot be evaluated, and each of its deployments names an endpoint. Prices are US dollars for a million tokens. `run` is the run that it belongs to, if any */
        StudentModelCreate: {
            name: string;
            base_model: string;
            endpoint?: {
                /** Format: uri */
                base_url: string;
                model: string;
                api_key?: string | null;
                input_per_million?: number | null;
                output_per_million?: number | null;
            } | null;
            artifact?: {
                upload: string;
                sha256: string;
            } | null;
            run?: string | null;
        };
        Report: {
            id: string;
            /** @enum {string} */
            object: "distill_report";
            livemode: boolean;
            /** @enum {string} */
            status: "ready";
            run: string;
            dry_run: boolean;
            student_model: string | null;
            summary: string;
            evaluated_rows: number;
            effective_rows: number;
            rewards: {
                id: string;
                name: string;
                kind: string;
                student: number | null;
                teacher: number | null;
                interval: {
                    low: number;
                    high: number;
                    method: string;
                } | null;
                teacher_interval: {
                    low: number;
                    high: number;
                    method: string;
                } | null;
                difference: number | null;
                difference_interval: {
                    low: number;
                    high: number;
                    method: string;
                } | null;
                wins: number;
                ties: number;
                losses: number;
                unscored: number;
            }[];
            accuracy: {
                value: number;
                interval: {
                    low: number;
                    high: number;
                    method: string;
                } | null;
                correct: number;
            } | null;
            /** @description By ascending `threshold` (`below_confidence`), at most 200: the share of holdout rows that the student answers, and its agreement with the teacher on them with a 95 % interval, by the weights of the rows; null without answered rows. `[]` without an evaluation */
            agreement_at: {
                threshold: number;
                share: number;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
            }[];
            teacher_itself: {
                value: number;
                low: number;
                high: number;
                rows: number;
                /** @enum {string} */
                method: "asked_again" | "repeated_calls";
            } | null;
            recommendation: {
                threshold: number;
                share: {
                    value: number;
                    low: number;
                    high: number;
                };
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                };
                target: number;
                /** @enum {string} */
                target_is: "teacher_itself" | "one" | "reviewed";
                error: number;
                method: string;
                saving_usd_per_1000: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
                saving_usd_per_month: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
            } | null;
            recommendation_reason: string;
            reviewed: {
                rows: number;
                student: {
                    value: number;
                    interval: {
                        low: number;
                        high: number;
                        method: string;
                    } | null;
                    correct: number;
                    undecided: number;
                };
                teacher: {
                    value: number;
                    interval: {
                        low: number;
                        high: number;
                        method: string;
                    } | null;
                    correct: number;
                };
                wins: number;
                losses: number;
            } | null;
            calibration: {
                expected_error: number;
                bins: {
                    from: number;
                    to: number;
                    count: number;
                    confidence: number | null;
                    accuracy: number | null;
                }[];
            } | null;
            latency_ms: {
                student: {
                    count: number;
                    mean: number;
                    p50: number;
                    p90: number;
                    p95: number;
                    p99: number;
                    max: number;
                } | null;
                teacher: {
                    count: number;
                    mean: number;
                    p50: number;
                    p90: number;
                    p95: number;
                    p99: number;
                    max: number;
                } | null;
            } | null;
            cost_per_1000_calls_usd: {
                student: number | null;
                teacher: number | null;
            } | null;
            worst_examples: {
                row: string;
                prompt: string;
                student: string;
                teacher: string;
                confidence: number | null;
                scores: {
                    [key: string]: number | null;
                };
            }[];
            advice: {
                most_frequent: {
                    answer: string;
                    share: number;
                    beaten: boolean;
                } | null;
                teacher_itself?: {
                    prompts: number;
                    agreement: number;
                    interval: {
                        low: number;
                        high: number;
                        method: string;
                    } | null;
                } | null;
                labels: {
                    label: string;
                    support: number;
                    precision: number | null;
                    recall: number | null;
                }[];
                confusions: {
                    teacher: string;
                    student: string;
                    count: number;
                }[];
                fields?: {
                    field: string;
                    agreement: number;
                    interval: {
                        low: number;
                        high: number;
                        method: string;
                    } | null;
                    most_frequent: {
                        answer: string;
                        share: number;
                    };
                    labels: {
                        label: string;
                        support: number;
                        precision: number | null;
                        recall: number | null;
                    }[];
                    confusions: {
                        teacher: string;
                        student: string;
                        count: number;
                    }[];
                    scores?: {
                        scores: number;
                        mean_error: number;
                        constant_error: number;
                        within_one: number;
                        unscored: number;
                    } | null;
                }[];
                scores?: {
                    scores: number;
                    mean_error: number;
                    constant_error: number;
                    within_one: number;
                    unscored: number;
                } | null;
                cascade: {
                    target_agreement: number | null;
                    steps: {
                        threshold: number;
                        share: number;
                        agreement: number | null;
                        interval: {
                            low: number;
                            high: number;
                            method: string;
                        } | null;
                        cascade_agreement: number;
                        cost_per_1000_calls_usd: number | null;
                    }[];
                    recommended_threshold: number | null;
                } | null;
                saving: {
                    per_1000_calls_usd: number;
                    break_even_calls: number | null;
                } | null;
                notes: string[];
            } | null;
            questions: {
                question: string;
                name: string | null;
                /** @enum {string} */
                kind: "predicate" | "choice" | "score";
                rows: number;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
                truth: {
                    rows: number;
                    accuracy: number;
                } | null;
                brier: number | null;
                log_loss: number | null;
                calibration_error: number | null;
                auc: number | null;
                mean_absolute_error: number | null;
                ranked_probability_score: number | null;
                refusals: number;
                threshold: number | null;
                coverage: number;
                teacher_itself: {
                    value: number;
                    low: number;
                    high: number;
                    rows: number;
                    /** @enum {string} */
                    method: "asked_again" | "repeated_calls";
                } | null;
                recommendation: {
                    threshold: number;
                    share: {
                        value: number;
                        low: number;
                        high: number;
                    };
                    agreement: {
                        value: number;
                        low: number;
                        high: number;
                    };
                    target: number;
                    error: number;
                    method: string;
                } | null;
                confusions: {
                    teacher: string;
                    student: string;
                    count: number;
                }[];
                curve: {
                    threshold: number;
                    coverage: number;
                    agreement: number | null;
                }[];
            }[];
            requests: {
                answered_here: number;
                mixed: number;
                upstream: number;
                saved_usd_per_1000: number | null;
                saved_estimated_share: number | null;
            } | null;
            unlike: components["schemas"]["Unlike"] | null;
            learning_curve: {
                share: number;
                rows: number;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                };
            }[];
            twice_as_many: {
                rows: number;
                agreement: number;
                gain: number;
                exponent: number;
                /** @enum {string} */
                method: "inverse_power_law";
            } | null;
            candidates: {
                source: string;
                model: string;
                agreement: {
                    value: number;
                    low: number;
                    high: number;
                } | null;
                rewards: {
                    id: string;
                    name: string;
                    kind: string;
                    score: number | null;
                }[];
                cost_per_1000_calls_usd: number | null;
                latency_ms: {
                    p50: number;
                    p95: number;
                } | null;
                answered: number;
                failed: number;
            }[];
            cheapest_alternative: {
                /** @enum {string} */
                kind: "student" | "cascade" | "candidate" | "teacher";
                name: string;
                cost_per_1000_calls_usd: number;
                within_points: number;
                tied_with: string[];
            } | null;
            totals: {
                gpu_seconds: number;
                judge_tokens: number;
                candidate_tokens: number;
                cost_usd: number;
            };
            estimate: {
                gpu_seconds: number;
                cost_usd: number;
                actual_gpu_seconds: number;
                actual_cost_usd: number;
                ratio: number | null;
            } | null;
            provenance: {
                dataset_version: string;
                content_sha256: string | null;
                plan_hash: string;
                recipe: Record<string, unknown>;
                executor: string;
                artifact_sha256: string | null;
            };
            created_at: components["schemas"]["Timestamp"];
        };
        ReportShareDeleted: {
            id: string;
            /** @enum {string} */
            object: "distill_report_share";
            /** @enum {boolean} */
            deleted: true;
        };
        ReportShare: {
            /** Format: uri */
            url: string;
            token: string;
            expires_at: components["schemas"]["Timestamp"];
        };
        ReportShareRequest: {
            expires_in_seconds?: number | null;
        };
        RunRetry: {
            from_stage?: number | null;
            budget?: {
                max_cost_usd: number;
            } | null;
        };
        RunLogs: {
            /** @enum {string} */
            object: "run_logs";
            run: string;
            stage: number | null;
            data: {
                seq: number;
                at: components["schemas"]["Timestamp"];
                level: string;
                message: string;
            }[];
            next_after: string | null;
            has_more: boolean;
        };
        RunMetrics: {
            /** @enum {string} */
            object: "run_metrics";
            run: string;
            series: {
                stage: number;
                name: string;
                unit: string;
                points: {
                    step: number;
                    value: number;
                    at: components["schemas"]["Timestamp"];
                }[];
                total_points: number;
            }[];
            max_points: number;
        };
        RunCreate: {
            dataset_version: string;
            student_model_name?: string | null;
            name?: string | null;
            recipe: components["schemas"]["Recipe"];
            budget: {
                max_cost_usd: number;
            };
            compute?: {
                profile?: string | null;
            } | null;
            dry_run?: boolean | null;
            loop?: string | null;
            validated_dry_run?: string | null;
            plan_hash?: string | null;
        };
        Recipe: {
            student_model: string;
            stages: components["schemas"]["StageInput"][];
            rewards: string[];
        };
        Stage: {
            /** @enum {string} */
            kind: "sft";
            config: {
                epochs?: number;
                lora_rank?: number;
                /** @description Scale of a language model's adapter. Absent: twice `lora_rank` */
                lora_alpha?: number;
                /** @description Share of the adapter's inputs that a training step drops. Absent: 0 */
                lora_dropout?: number;
                /** @description Names of the layers that get an adapter, such as `q_proj`. Absent: all linear layers */
                target_modules?: string[];
                /**
                 * @description Precision of the base model's weights while its adapter is trained. Absent: `none`
                 * @enum {string}
                 */
                quantization?: "none" | "8bit" | "4bit";
                learning_rate?: number;
                max_seq_len?: number;
            };
        } | {
            /** @enum {string} */
            kind: "grpo";
            config: {
                steps?: number;
                group_size?: number;
                learning_rate?: number;
                kl_beta?: number;
                max_new_tokens?: number;
                temperature?: number;
            };
        } | {
            /** @enum {string} */
            kind: "eval";
            config: {
                rewards?: string[];
                judge_model?: string;
                /** @description Rows of the holdout that the evaluation asks about. Absent: all, up to 10000 */
                sample?: number;
                candidates?: {
                    source: string;
                    model: string;
                    instructions?: string;
                }[];
                /** @description Rows of the holdout that a live run asks the teacher again, for `teacher_itself`. Absent: 200, or as many as the budget leaves, where the version is of calls of one model; a number that the budget does not hold fails the run */
                teacher_repeats?: number;
            };
        } | {
            /** @enum {string} */
            kind: "publish";
            config: {
                merge_adapter?: boolean;
            };
        } | {
            /** @enum {string} */
            kind: "materialize";
            config: Record<string, unknown>;
        };
        ComputeProfile: {
            id: string;
            /** @enum {string} */
            object: "compute_profile";
            machine: string;
            gpu: string | null;
            spot: boolean;
            price_per_gpu_second: number;
            calibration: Record<string, unknown> | null;
        };
        StudentBase: {
            id: string;
            /** @enum {string} */
            object: "student_base";
            /** @enum {string} */
            engine: "builtin" | "llm";
            parameters: number | null;
            context_length: number;
            stages: string[];
            cases: string[];
            license: string;
        };
        Proposal: {
            /** @enum {string} */
            object: "distill_recipe";
            livemode: boolean;
            /** @enum {string} */
            case: "classification" | "extraction" | "generation" | "tool_use" | "conversation" | "decision";
            student_model: string;
            stages: components["schemas"]["Stage"][];
            rewards: string[];
            estimate: {
                gpu_seconds: number;
                cost_usd: number;
                wall_clock_minutes: number;
                assumptions: Record<string, unknown>;
            };
            dataset_version: string;
            /** @enum {string} */
            objective: "cost" | "quality" | "latency";
            /** @enum {string} */
            outcome: "deployable_student" | "report_only";
            budget: {
                max_cost_usd: number;
            };
            compute: {
                profile: string;
                machine: string | null;
                spot: boolean;
                gpu: string | null;
            };
            plan_hash: string;
            rationale: string[];
        };
        ProposalRequest: {
            dataset_version: string;
            /** @enum {string} */
            objective: "cost" | "quality" | "latency";
            max_cost_usd: number;
            rewards?: string[] | null;
            outcome?: ("deployable_student" | "report_only") | null;
        };
        /** @description `score` is null exactly where `detail.error` says why there is none */
        Score: {
            score: number | null;
            detail: {
                message: string;
                error: string | null;
            } & {
                [key: string]: unknown;
            };
        };
        ScoreRequest: {
            row: {
                messages: [
                    {
                        role: string;
                    } & {
                        [key: string]: unknown;
                    }
                ];
                completion?: (string | ({
                    /** @enum {string} */
                    role: "assistant";
                } & {
                    [key: string]: unknown;
                })) | null;
                tools?: unknown;
                tags?: string[] | null;
                external_id?: string | null;
                metadata?: Record<string, unknown> | null;
                weight?: number | null;
                split?: ("train" | "holdout") | null;
            } & {
                [key: string]: unknown;
            };
            completion: string | ({
                /** @enum {string} */
                role: "assistant";
            } & {
                [key: string]: unknown;
            });
        };
        Reward: {
            /** @enum {string} */
            kind: "exact_match";
            config: Record<string, unknown>;
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "contains";
            config: {
                value?: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "regex";
            config: {
                pattern: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "json_schema";
            config: {
                schema: Record<string, unknown>;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "numeric";
            config: {
                tolerance: number;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "llm_judge";
            config: {
                rubric: string;
                model: string;
                source?: string;
                scale: {
                    min: number;
                    max: number;
                };
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        } | {
            /** @enum {string} */
            kind: "http";
            config: {
                /** Format: uri */
                url: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description `secret` signs the requests to an http scorer; it is shown this once */
        RewardCreated: {
            /** @enum {string} */
            kind: "exact_match";
            config: Record<string, unknown>;
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "contains";
            config: {
                value?: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "regex";
            config: {
                pattern: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "json_schema";
            config: {
                schema: Record<string, unknown>;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "numeric";
            config: {
                tolerance: number;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "llm_judge";
            config: {
                rubric: string;
                model: string;
                source?: string;
                scale: {
                    min: number;
                    max: number;
                };
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        } | {
            /** @enum {string} */
            kind: "http";
            config: {
                /** Format: uri */
                url: string;
            };
            id: string;
            /** @enum {string} */
            object: "reward";
            livemode: boolean;
            name: string;
            created_at: components["schemas"]["Timestamp"];
            secret?: string;
        };
        RewardCreate: {
            name: string;
            /** @enum {string} */
            kind: "exact_match";
            config?: Record<string, unknown> | null;
        } | {
            name: string;
            /** @enum {string} */
            kind: "contains";
            config?: {
                value?: string | null;
            } | null;
        } | {
            name: string;
            /** @enum {string} */
            kind: "regex";
            config: {
                pattern: string;
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "json_schema";
            config: {
                schema: Record<string, unknown>;
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "numeric";
            config: {
                tolerance: number;
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "llm_judge";
            config: {
                rubric: string;
                model: string;
                source?: string | null;
                scale: {
                    min: number;
                    max: number;
                };
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "http";
            config: {
                /** Format: uri */
                url: string;
            };
        };
        Suspect: {
            /** @enum {string} */
            object: "suspect";
            /** @description From 1, the most suspicious first */
            position: number;
            /** @description Names the row within its version */
            row_key: string;
            answer: string;
            /** @description The most probable other answer */
            suggested: string;
            /** @description Of the suggested answer, by a model that has not learnt from the row */
            confidence: number;
            /** @description By how much the suggested answer is more probable than the row's */
            score: number;
            /** @description Whether the suggested answer reaches the threshold of its label: `clean` concerns only these */
            confident: boolean;
            /** @description The most similar train rows; empty beyond the first suspects */
            neighbours: {
                /** @description The beginning of the row's last message */
                text: string;
                answer: string;
                /** @description Cosine of the two rows' features */
                similarity: number;
            }[];
            /** @description As the version had it */
            row: Record<string, unknown>;
        };
        DatasetVersion: {
            id: string;
            /** @enum {string} */
            object: "dataset_version";
            livemode: boolean;
            dataset: string;
            /** @enum {string} */
            status: "building" | "ready" | "failed";
            from: {
                upload: string;
                versions?: string[];
            } | {
                pull: string;
                versions?: string[];
            } | {
                calls: {
                    tags?: string[];
                    tag?: string;
                    model?: string;
                    /** @description Calls for this deployment, and those that verify its student's answers */
                    deployment?: string;
                    external_id?: string;
                    /**
                     * @description Absent: every responder but students, whose answers are left out
                     * @enum {string}
                     */
                    served_by?: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
                    /**
                     * @description Absent: succeeded. A call without an answer gives no row
                     * @enum {string}
                     */
                    outcome?: "succeeded" | "failed" | "aborted";
                    /** @description true: only calls that verify a student's answer; false: all others. Absent: all, without verifications under `served_by` or `min_feedback` */
                    verifies?: boolean;
                    /**
                     * @description `traffic`, the default: a verified answer weighs as many of the student's answers as it stands for; `none`: every row weighs 1
                     * @enum {string}
                     */
                    weights?: "traffic" | "none";
                    /** @description A part of the request or the answer; case is ignored */
                    text?: string;
                    min_feedback?: number;
                    limit?: number;
                    source?: string;
                    created_after?: components["schemas"]["Timestamp"];
                    created_before?: components["schemas"]["Timestamp"];
                };
                versions?: string[];
            } | {
                versions: string[];
            };
            holdout_fraction: number;
            /** @enum {string} */
            dedupe: "exact" | "none";
            redact: ("email" | "phone" | "credit_card" | "api_key")[];
            seed: number;
            rows: number;
            train_rows: number;
            holdout_rows: number;
            tokens: number;
            content_sha256: string | null;
            dropped: {
                duplicates: number;
                invalid: number;
                redactions: number;
                /** @description Calls that cannot be a row */
                unsupported: number;
                /** @description Train rows whose answers look wrong, left out by `clean` */
                suspects: number;
            };
            /** @description How many calls cannot be a row, by reason */
            dropped_reasons: {
                [key: string]: number;
            };
            near_duplicates: number;
            /** @description Rows whose prompt other rows answer otherwise, and their share. `agreement_max`: the agreement that no student of these rows can pass, because it gives one answer to each prompt */
            contradictions: {
                rows: number;
                share: number;
                agreement_max: number;
            };
            /** @enum {string} */
            clean: "report" | "drop";
            /** @description What the build has found among the train rows; null where the request had no `clean`, and until ready */
            cleaning: {
                examined: number;
                suspects: number;
                confident: number;
                reason: string | null;
            } | null;
            /** @description What verdicts of review queues have made of the train rows before equal ones became one: rows that took the right answer, and rows left out, whose answer is wrong while nobody named the right one */
            reviewed: {
                corrected: number;
                dropped: number;
            };
            /** @description The questions of its decisions, those with the most rows first; empty without decisions */
            questions: {
                question: string;
                name: string | null;
                /** @enum {string} */
                kind: "predicate" | "choice" | "score";
                instructions: string;
                options: {
                    value: string | boolean;
                    description?: string;
                }[];
                rows: number;
            }[];
            /** @description How many rows of equal weight tell as much: the square of the sum of the weights by the sum of their squares */
            effective_rows: number;
            /** @description Rows by origin: answers of the upstream, of a fallback, of verifications, and rows of joined versions; null for an upload or a pull alone */
            made_of: {
                upstream: number;
                fallback: number;
                verified: number;
                versions: number;
            } | null;
            /** @description The 20 most frequent system prompts of its rows: equal after folding case, white space, punctuation and numbers. `sample` is the beginning of one, empty for rows without a system prompt */
            templates: {
                id: string;
                rows: number;
                share: number;
                sample: string;
            }[];
            /** @description Sentences for a person; empty without a warning */
            warnings: string[];
            error: {
                code: string;
                message: string;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        DatasetVersionCreate: {
            from: {
                upload?: string | null;
                pull?: string | null;
                calls?: {
                    tags?: string[] | null;
                    tag?: string | null;
                    model?: string | null;
                    /** @description Calls for this deployment, and those that verify its student's answers */
                    deployment?: string | null;
                    external_id?: string | null;
                    /** @description Absent: every responder but students, whose answers are left out */
                    served_by?: ("upstream" | "student" | "shadow" | "upstream_fallback" | "mixed") | null;
                    /** @description Absent: succeeded. A call without an answer gives no row */
                    outcome?: ("succeeded" | "failed" | "aborted") | null;
                    /** @description true: only calls that verify a student's answer; false: all others. Absent: all, without verifications under `served_by` or `min_feedback` */
                    verifies?: boolean | null;
                    /** @description `traffic`, the default: a verified answer weighs as many of the student's answers as it stands for; `none`: every row weighs 1 */
                    weights?: ("traffic" | "none") | null;
                    /** @description A part of the request or the answer; case is ignored */
                    text?: string | null;
                    min_feedback?: number | null;
                    limit?: number | null;
                    /** @description Name or id */
                    source?: string | null;
                    created_after?: string | null;
                    created_before?: string | null;
                } | null;
                /** @description Ready versions whose rows are joined; a row that two sources have is one */
                versions?: string[] | null;
            };
            holdout_fraction?: number | null;
            dedupe?: ("exact" | "none") | null;
            redact?: ("email" | "phone" | "credit_card" | "api_key")[] | null;
            seed?: number | null;
            /** @description `report`: the build looks for train rows whose answers look wrong; `drop` leaves the confident ones out. Absent: the first training of the builtin student looks for them */
            clean?: ("report" | "drop") | null;
        };
        Dataset: {
            id: string;
            /** @enum {string} */
            object: "dataset";
            livemode: boolean;
            name: string;
            description: string | null;
            loop: string | null;
            created_at: components["schemas"]["Timestamp"];
        };
        DatasetCreate: {
            name: string;
            description?: string | null;
            loop?: string | null;
        };
        Pull: {
            id: string;
            /** @enum {string} */
            object: "connector_pull";
            livemode: boolean;
            connector: string;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed";
            bytes: number | null;
            sha256: string | null;
            rows: number | null;
            errors: {
                line: number;
                message: string;
            }[];
            error_count: number;
            error: {
                code: string;
                message: string;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        ConnectorDeleted: {
            id: string;
            /** @enum {string} */
            object: "connector";
            /** @enum {boolean} */
            deleted: true;
        };
        Connector: {
            id: string;
            /** @enum {string} */
            object: "connector";
            livemode: boolean;
            name: string;
            /** @enum {string} */
            kind: "http_jsonl";
            config: {
                /** Format: uri */
                url: string;
                /** @description A mask; the credential itself is never shown */
                auth_header: string | null;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        } | {
            id: string;
            /** @enum {string} */
            object: "connector";
            livemode: boolean;
            name: string;
            /** @enum {string} */
            kind: "openai_stored_completions";
            config: {
                /** Format: uri */
                base_url: string;
                /** @description A mask; the credential itself is never shown */
                api_key: string | null;
                model: string | null;
                metadata: {
                    [key: string]: string;
                } | null;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        } | {
            id: string;
            /** @enum {string} */
            object: "connector";
            livemode: boolean;
            name: string;
            /** @enum {string} */
            kind: "s3";
            config: {
                bucket: string;
                prefix: string | null;
                key: string | null;
                region: string;
                endpoint: string | null;
                force_path_style: boolean;
                /** @description A mask; the credential itself is never shown */
                access_key_id: string | null;
                /** @description A mask; the credential itself is never shown */
                secret_access_key: string | null;
                /** @description A mask; the credential itself is never shown */
                session_token: string | null;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Of `config` as many members of the connector's kind as should change; null takes one away */
        ConnectorUpdate: {
            name?: string | null;
            config?: Record<string, unknown> | null;
        };
        ConnectorCreate: {
            name: string;
            /** @enum {string} */
            kind: "http_jsonl";
            config: {
                /** Format: uri */
                url: string;
                auth_header?: string | null;
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "openai_stored_completions";
            config: {
                base_url?: string | null;
                api_key: string;
                model?: string | null;
                metadata?: {
                    [key: string]: string;
                } | null;
            };
        } | {
            name: string;
            /** @enum {string} */
            kind: "s3";
            config: {
                bucket: string;
                prefix?: string | null;
                key?: string | null;
                region: string;
                endpoint?: string | null;
                access_key_id: string;
                secret_access_key: string;
                session_token?: string | null;
                force_path_style?: boolean | null;
            };
        };
        Upload: {
            id: string;
            /** @enum {string} */
            object: "upload";
            livemode: boolean;
            /** @enum {string} */
            status: "awaiting_content" | "processing" | "succeeded" | "failed" | "expired";
            filename: string;
            /** @enum {string} */
            format: "chat_jsonl" | "decisions_jsonl" | "student_model";
            bytes: number | null;
            sha256: string | null;
            received_bytes: number;
            upload_url: string | null;
            rows: number | null;
            errors: {
                line: number;
                message: string;
            }[];
            error_count: number;
            loop: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        UploadCreate: {
            filename: string;
            format?: ("chat_jsonl" | "decisions_jsonl" | "student_model") | null;
            bytes?: number | null;
            sha256?: string | null;
            loop?: string | null;
        };
        Loop: {
            id: string;
            /** @enum {string} */
            object: "distill_loop";
            livemode: boolean;
            name: string;
            description: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        LoopUpdate: {
            name?: string | null;
            /** @description null: none */
            description?: string | null;
        };
        /** @description `latest` has the newest of each kind that names the loop */
        LoopWithLatest: {
            id: string;
            /** @enum {string} */
            object: "distill_loop";
            livemode: boolean;
            name: string;
            description: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            latest: {
                upload: {
                    id: string;
                    status: string;
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                dataset_version: {
                    id: string;
                    status: string;
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                run: {
                    id: string;
                    status: string;
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                report: {
                    id: string;
                    status: string;
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                deployment: {
                    id: string;
                    status: string;
                    created_at: components["schemas"]["Timestamp"];
                } | null;
            };
        };
        LoopCreate: {
            name: string;
            /** @description null: none */
            description?: string | null;
        };
        CallMetricsList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["CallMetrics"][];
            /** @enum {boolean} */
            has_more: false;
        };
        CallMetrics: {
            start: components["schemas"]["Timestamp"];
            /** @description Of a source, its id. Null without `group_by`, and for calls without a value, such as a source */
            group: string | null;
            calls: number;
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Of the calls with a known cost; null: no call has one */
            cost_usd: number | null;
            /** @description Calls of an upstream without a known cost; neither failed calls nor those of a student */
            unpriced_calls: number;
            /** @description What the calls that a student answered would have cost at the mean cost of its deployment's priced upstream answers, of all time, with a 95 % prediction interval; null without such calls, or with fewer than two such answers */
            saved_usd: {
                value: number;
                low: number;
                high: number;
            } | null;
            /** @description Of succeeded calls, to within a fifth; null without one */
            latency_ms: {
                p50: number;
                p95: number;
            } | null;
        };
        Feedback: {
            id: string;
            /** @enum {string} */
            object: "feedback";
            livemode: boolean;
            call_id: string | null;
            external_id: string | null;
            name: string;
            value: number;
            comment: string | null;
            /** @description The question of a call of decisions that it is about; null for the answer as a whole */
            question: string | null;
            /** @description The prompt of a reviewed row, by its key; the comment is then the judged answer, or the right one */
            prompt: string | null;
            /** @description Who gave it; null where it was given before this was kept */
            given_by: {
                /** @enum {string} */
                kind: "person" | "token" | "operator";
                id: string | null;
            } | null;
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description Names the call by `call_id`, `external_id`, or both */
        FeedbackCreate: {
            call_id?: string | null;
            external_id?: string | null;
            name: string;
            value: number;
            comment?: string | null;
            /** @description A question of a call of decisions: its id, or its name in that call. The comment of a `correction` is then the true option */
            question?: string | null;
        };
        CapturedCallDeleted: {
            id: string;
            /** @enum {string} */
            object: "captured_call";
            /** @enum {boolean} */
            deleted: true;
        };
        CapturedCallDetail: {
            id: string;
            /** @enum {string} */
            object: "captured_call";
            livemode: boolean;
            /** @enum {string} */
            endpoint: "chat.completions" | "completions" | "responses" | "messages" | "embeddings" | "decisions" | "systemone";
            source: string | null;
            source_name: string | null;
            model: string | null;
            /** @enum {string} */
            served_by: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
            deployment: string | null;
            fallback_reason: string | null;
            confidence: number | null;
            tags: string[];
            external_id: string | null;
            /** @description The call that a student answered and that this call asked the upstream again; null for other calls */
            verifies: string | null;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "aborted";
            status_code: number | null;
            streamed: boolean;
            request: unknown;
            response: unknown;
            /** @description Whether more of the request or the response came than is kept: 16 MiB of each; what is cut is a text */
            truncated: boolean;
            usage: {
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                input_tokens_details: {
                    cached_tokens: number;
                    cache_write_tokens: number;
                    cache_write_1h_tokens?: number;
                    audio_tokens?: number;
                };
                output_tokens_details: {
                    reasoning_tokens: number;
                    audio_tokens?: number;
                };
            } | null;
            cost_usd: number | null;
            billed: boolean;
            latency_ms: number;
            first_token_ms: number | null;
            /** @description Requests to sources for this call, of a source with fallbacks or retries; else empty */
            attempts: {
                source: string;
                model: string | null;
                status_code: number | null;
                error: string | null;
                latency_ms: number;
            }[];
            /** @description Answers to the questions of a succeeded request for decisions, in its order; else empty */
            decisions: {
                question: string;
                name: string | null;
                /** @enum {string} */
                kind: "predicate" | "choice" | "score";
                probabilities: number[] | null;
                refusal: boolean;
                /** @enum {string} */
                served_by: "student" | "upstream";
            }[];
            created_at: components["schemas"]["Timestamp"];
            shadow_results: components["schemas"]["ShadowResult"][];
            feedback: components["schemas"]["Feedback"][];
        };
        ShadowResult: {
            /** @enum {string} */
            object: "shadow_result";
            deployment: string;
            error: string | null;
            message: unknown;
            confidence: number | null;
            latency_ms: number;
            agrees: boolean | null;
            verifies: boolean;
            created_at: components["schemas"]["Timestamp"];
        };
        CapturedCall: {
            id: string;
            /** @enum {string} */
            object: "captured_call";
            livemode: boolean;
            /** @enum {string} */
            endpoint: "chat.completions" | "completions" | "responses" | "messages" | "embeddings" | "decisions" | "systemone";
            source: string | null;
            source_name: string | null;
            model: string | null;
            /** @enum {string} */
            served_by: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
            deployment: string | null;
            fallback_reason: string | null;
            confidence: number | null;
            tags: string[];
            external_id: string | null;
            /** @description The call that a student answered and that this call asked the upstream again; null for other calls */
            verifies: string | null;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "aborted";
            status_code: number | null;
            streamed: boolean;
            request: unknown;
            response: unknown;
            /** @description Whether more of the request or the response came than is kept: 16 MiB of each; what is cut is a text */
            truncated: boolean;
            usage: {
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                input_tokens_details: {
                    cached_tokens: number;
                    cache_write_tokens: number;
                    cache_write_1h_tokens?: number;
                    audio_tokens?: number;
                };
                output_tokens_details: {
                    reasoning_tokens: number;
                    audio_tokens?: number;
                };
            } | null;
            cost_usd: number | null;
            billed: boolean;
            latency_ms: number;
            first_token_ms: number | null;
            /** @description Requests to sources for this call, of a source with fallbacks or retries; else empty */
            attempts: {
                source: string;
                model: string | null;
                status_code: number | null;
                error: string | null;
                latency_ms: number;
            }[];
            /** @description Answers to the questions of a succeeded request for decisions, in its order; else empty */
            decisions: {
                question: string;
                name: string | null;
                /** @enum {string} */
                kind: "predicate" | "choice" | "score";
                probabilities: number[] | null;
                refusal: boolean;
                /** @enum {string} */
                served_by: "student" | "upstream";
            }[];
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description US dollars for a million tokens; null where no price is known */
        CatalogModel: {
            id: string;
            /** @enum {string} */
            object: "model";
            livemode: boolean;
            source: string;
            source_name: string;
            input_per_million: number | null;
            output_per_million: number | null;
            cached_input_per_million: number | null;
            cache_write_per_million: number | null;
            cache_write_1h_per_million: number | null;
            tiers: {
                batch?: number;
                flex?: number;
                priority?: number;
            };
            /** @enum {string} */
            price_from: "source" | "price_file" | "none";
        };
        /** @description `reason` is null exactly where `ok` is true */
        SourceVerification: {
            /** @enum {string} */
            object: "source_verification";
            source: string;
            livemode: boolean;
            ok: boolean;
            reason: string | null;
            status_code: number | null;
            models: string[];
            duration_ms: number;
        };
        SourceDeleted: {
            id: string;
            /** @enum {string} */
            object: "source";
            /** @enum {boolean} */
            deleted: true;
        };
        Source: {
            id: string;
            /** @enum {string} */
            object: "source";
            livemode: boolean;
            name: string;
            /** @enum {string} */
            kind: "byok" | "managed";
            /** @enum {string} */
            dialect: "openai" | "anthropic" | "systemone";
            /** Format: uri */
            base_url: string;
            api_key_last4: string | null;
            default: boolean;
            timeout_ms: number;
            capture: {
                enabled: boolean;
                sample_rate: number;
                /** @enum {string} */
                durability: "journal" | "buffered";
            };
            models: (string | {
                id: string;
                input_per_million?: number;
                output_per_million?: number;
                cached_input_per_million?: number;
                cache_write_per_million?: number;
                cache_write_1h_per_million?: number;
                tiers?: {
                    batch?: number;
                    flex?: number;
                    priority?: number;
                };
                max_output_tokens?: number;
            })[];
            fallbacks: {
                source: string;
                model?: string;
            }[];
            retries: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SourceUpdate: {
            name?: string | null;
            base_url?: string | null;
            /** @description null: none */
            api_key?: string | null;
            /** @description The API that the provider speaks; by default openai */
            dialect?: ("openai" | "anthropic" | "systemone") | null;
            default?: boolean | null;
            timeout_ms?: number | null;
            capture?: {
                enabled?: boolean | null;
                sample_rate?: number | null;
                durability?: ("journal" | "buffered") | null;
            } | null;
            models?: (string | {
                id: string;
                input_per_million?: number | null;
                output_per_million?: number | null;
                cached_input_per_million?: number | null;
                cache_write_per_million?: number | null;
                cache_write_1h_per_million?: number | null;
                tiers?: {
                    batch?: number | null;
                    flex?: number | null;
                    priority?: number | null;
                } | null;
                max_output_tokens?: number | null;
            })[] | null;
            /** @description Sources, by name or id, that are asked in this order where this one fails */
            fallbacks?: {
                source: string;
                model?: string | null;
            }[] | null;
            /** @description How often this source is asked again where it fails; by default 0 */
            retries?: number | null;
        };
        SourceCreate: {
            name: string;
            /** @enum {string} */
            kind: "byok" | "managed";
            /** Format: uri */
            base_url: string;
            /** @description null: none */
            api_key?: string | null;
            /** @description The API that the provider speaks; by default openai */
            dialect?: ("openai" | "anthropic" | "systemone") | null;
            default?: boolean | null;
            timeout_ms?: number | null;
            capture?: {
                enabled?: boolean | null;
                sample_rate?: number | null;
                durability?: ("journal" | "buffered") | null;
            } | null;
            models?: (string | {
                id: string;
                input_per_million?: number | null;
                output_per_million?: number | null;
                cached_input_per_million?: number | null;
                cache_write_per_million?: number | null;
                cache_write_1h_per_million?: number | null;
                tiers?: {
                    batch?: number | null;
                    flex?: number | null;
                    priority?: number | null;
                } | null;
                max_output_tokens?: number | null;
            })[] | null;
            /** @description Sources, by name or id, that are asked in this order where this one fails */
            fallbacks?: {
                source: string;
                model?: string | null;
            }[] | null;
            /** @description How often this source is asked again where it fails; by default 0 */
            retries?: number | null;
        };
        TokenWithSecret: {
            id: string;
            /** @enum {string} */
            object: "api_token";
            name: string;
            /** @enum {string} */
            environment: "test" | "live";
            scopes: string[];
            livemode: boolean;
            /** @enum {string} */
            status: "active" | "disabled" | "expired";
            last_used_at: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            limits: components["schemas"]["TokenLimits"] | null;
            created_by: {
                /** @enum {string} */
                kind: "person" | "token" | "operator";
                id: string | null;
            } | null;
            secret: string;
        };
        /** @description Limits of proxy calls; an absent member does not limit */
        TokenLimits: {
            models?: string[];
            requests_per_minute?: number;
            max_cost_usd_per_day?: number;
        };
        TokenRotate: {
            expires_in_seconds?: number | null;
        };
        TokenDeleted: {
            id: string;
            /** @enum {string} */
            object: "api_token";
            /** @enum {boolean} */
            deleted: true;
        };
        Token: {
            id: string;
            /** @enum {string} */
            object: "api_token";
            name: string;
            /** @enum {string} */
            environment: "test" | "live";
            scopes: string[];
            livemode: boolean;
            /** @enum {string} */
            status: "active" | "disabled" | "expired";
            last_used_at: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            limits: components["schemas"]["TokenLimits"] | null;
            created_by: {
                /** @enum {string} */
                kind: "person" | "token" | "operator";
                id: string | null;
            } | null;
        };
        TokenUpdate: {
            name?: string | null;
            /** @description No limits */
            limits?: components["schemas"]["TokenLimitsCreate"] | null;
        };
        TokenLimitsCreate: {
            /** @description Exact names of models, or beginnings that end with * */
            models?: string[] | null;
            requests_per_minute?: number | null;
            /** @description US dollars of a UTC day */
            max_cost_usd_per_day?: number | null;
        };
        TokenCreate: {
            name: string;
            scopes: ("distill:read" | "distill:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "tokens:read" | "tokens:write" | "billing:read" | "billing:write" | "agents:read" | "agents:write" | "conversations:read" | "conversations:write" | "sources:read" | "sources:write" | "channels:read" | "channels:write" | "workspace:read" | "workspace:write" | "proxy:write" | "full_access")[];
            environment?: ("test" | "live") | null;
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description No limits */
            limits?: components["schemas"]["TokenLimitsCreate"] | null;
        };
        Whoami: {
            /** @enum {string} */
            object: "whoami";
            workspace: {
                id: string;
                name: string;
                plan: string;
            };
            credential: {
                /** @enum {string} */
                type: "api_token" | "session";
                id: string;
                name: string;
                /** @enum {string} */
                environment: "test" | "live";
                scopes: string[];
                /** @enum {string} */
                role?: "owner" | "member" | "viewer";
            };
            livemode: boolean;
            api_version: string;
        };
        EventType: {
            /** @enum {string} */
            object: "event_type";
            type: string;
            domain: string;
            description: string;
        };
        Unhealthy: {
            status: string;
            version: string;
            /** @enum {string} */
            storage: "read_only" | "unavailable";
            /** @enum {string} */
            queue: "unavailable";
            workers: number;
            capture?: components["schemas"]["HealthOfCapture"];
        };
        HealthOfCapture: {
            waiting: number;
            dropped: number;
            trouble: string | null;
        };
        Health: {
            status: string;
            version: string;
            /** @enum {string} */
            storage: "ok";
            /** @enum {string} */
            queue: "ok";
            workers: number;
            capture?: components["schemas"]["HealthOfCapture"];
        };
        StageInput: {
            /** @enum {string} */
            kind: "sft";
            config: {
                epochs?: number | null;
                lora_rank?: number | null;
                /** @description Scale of a language model's adapter. Absent: twice `lora_rank` */
                lora_alpha?: number | null;
                /** @description Share of the adapter's inputs that a training step drops. Absent: 0 */
                lora_dropout?: number | null;
                /** @description Names of the layers that get an adapter, such as `q_proj`. Absent: all linear layers */
                target_modules?: string[] | null;
                /** @description Precision of the base model's weights while its adapter is trained. Absent: `none` */
                quantization?: ("none" | "8bit" | "4bit") | null;
                learning_rate?: number | null;
                max_seq_len?: number | null;
            };
        } | {
            /** @enum {string} */
            kind: "grpo";
            config: {
                steps?: number | null;
                group_size?: number | null;
                learning_rate?: number | null;
                kl_beta?: number | null;
                max_new_tokens?: number | null;
                temperature?: number | null;
            };
        } | {
            /** @enum {string} */
            kind: "eval";
            config: {
                rewards?: string[] | null;
                judge_model?: string | null;
                /** @description Rows of the holdout that the evaluation asks about. Absent: all, up to 10000 */
                sample?: number | null;
                candidates?: {
                    source: string;
                    model: string;
                    instructions?: string | null;
                }[] | null;
                /** @description Rows of the holdout that a live run asks the teacher again, for `teacher_itself`. Absent: 200, or as many as the budget leaves, where the version is of calls of one model; a number that the budget does not hold fails the run */
                teacher_repeats?: number | null;
            };
        } | {
            /** @enum {string} */
            kind: "publish";
            config: {
                merge_adapter?: boolean | null;
            };
        } | {
            /** @enum {string} */
            kind: "materialize";
            config: Record<string, unknown>;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Error = components['schemas']['Error'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type Timestamp = components['schemas']['Timestamp'];
export type WebhookRecovery = components['schemas']['WebhookRecovery'];
export type WebhookRecover = components['schemas']['WebhookRecover'];
export type WebhookPing = components['schemas']['WebhookPing'];
export type WebhookEndpointWithSecret = components['schemas']['WebhookEndpointWithSecret'];
export type WebhookSecretRotate = components['schemas']['WebhookSecretRotate'];
export type WebhookDeliveryDetail = components['schemas']['WebhookDeliveryDetail'];
export type WebhookDeliveryAttempt = components['schemas']['WebhookDeliveryAttempt'];
export type WebhookEndpointDeleted = components['schemas']['WebhookEndpointDeleted'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointUpdate = components['schemas']['WebhookEndpointUpdate'];
export type WebhookEndpointCreate = components['schemas']['WebhookEndpointCreate'];
export type Event = components['schemas']['Event'];
export type Message = components['schemas']['Message'];
export type Conversation = components['schemas']['Conversation'];
export type AgentDeleted = components['schemas']['AgentDeleted'];
export type Agent = components['schemas']['Agent'];
export type AgentUpdate = components['schemas']['AgentUpdate'];
export type AgentCreate = components['schemas']['AgentCreate'];
export type MessageQueued = components['schemas']['MessageQueued'];
export type ChatRequest = components['schemas']['ChatRequest'];
export type ReviewTurn = components['schemas']['ReviewTurn'];
export type ReviewQueue = components['schemas']['ReviewQueue'];
export type ReviewUndo = components['schemas']['ReviewUndo'];
export type ReviewVerdict = components['schemas']['ReviewVerdict'];
export type ReviewQueueCreate = components['schemas']['ReviewQueueCreate'];
export type DeploymentWithFigures = components['schemas']['DeploymentWithFigures'];
export type Run = components['schemas']['Run'];
export type RunStage = components['schemas']['RunStage'];
export type DeploymentRetrain = components['schemas']['DeploymentRetrain'];
export type DeploymentUpdate = components['schemas']['DeploymentUpdate'];
export type DeploymentAgreement = components['schemas']['DeploymentAgreement'];
export type Deployment = components['schemas']['Deployment'];
export type DeploymentCreate = components['schemas']['DeploymentCreate'];
export type StudentModel = components['schemas']['StudentModel'];
export type Unlike = components['schemas']['Unlike'];
export type StudentModelCreate = components['schemas']['StudentModelCreate'];
export type Report = components['schemas']['Report'];
export type ReportShareDeleted = components['schemas']['ReportShareDeleted'];
export type ReportShare = components['schemas']['ReportShare'];
export type ReportShareRequest = components['schemas']['ReportShareRequest'];
export type RunRetry = components['schemas']['RunRetry'];
export type RunLogs = components['schemas']['RunLogs'];
export type RunMetrics = components['schemas']['RunMetrics'];
export type RunCreate = components['schemas']['RunCreate'];
export type Recipe = components['schemas']['Recipe'];
export type Stage = components['schemas']['Stage'];
export type ComputeProfile = components['schemas']['ComputeProfile'];
export type StudentBase = components['schemas']['StudentBase'];
export type Proposal = components['schemas']['Proposal'];
export type ProposalRequest = components['schemas']['ProposalRequest'];
export type Score = components['schemas']['Score'];
export type ScoreRequest = components['schemas']['ScoreRequest'];
export type Reward = components['schemas']['Reward'];
export type RewardCreated = components['schemas']['RewardCreated'];
export type RewardCreate = components['schemas']['RewardCreate'];
export type Suspect = components['schemas']['Suspect'];
export type DatasetVersion = components['schemas']['DatasetVersion'];
export type DatasetVersionCreate = components['schemas']['DatasetVersionCreate'];
export type Dataset = components['schemas']['Dataset'];
export type DatasetCreate = components['schemas']['DatasetCreate'];
export type Pull = components['schemas']['Pull'];
export type ConnectorDeleted = components['schemas']['ConnectorDeleted'];
export type Connector = components['schemas']['Connector'];
export type ConnectorUpdate = components['schemas']['ConnectorUpdate'];
export type ConnectorCreate = components['schemas']['ConnectorCreate'];
export type Upload = components['schemas']['Upload'];
export type UploadCreate = components['schemas']['UploadCreate'];
export type Loop = components['schemas']['Loop'];
export type LoopUpdate = components['schemas']['LoopUpdate'];
export type LoopWithLatest = components['schemas']['LoopWithLatest'];
export type LoopCreate = components['schemas']['LoopCreate'];
export type CallMetricsList = components['schemas']['CallMetricsList'];
export type CallMetrics = components['schemas']['CallMetrics'];
export type Feedback = components['schemas']['Feedback'];
export type FeedbackCreate = components['schemas']['FeedbackCreate'];
export type CapturedCallDeleted = components['schemas']['CapturedCallDeleted'];
export type CapturedCallDetail = components['schemas']['CapturedCallDetail'];
export type ShadowResult = components['schemas']['ShadowResult'];
export type CapturedCall = components['schemas']['CapturedCall'];
export type CatalogModel = components['schemas']['CatalogModel'];
export type SourceVerification = components['schemas']['SourceVerification'];
export type SourceDeleted = components['schemas']['SourceDeleted'];
export type Source = components['schemas']['Source'];
export type SourceUpdate = components['schemas']['SourceUpdate'];
export type SourceCreate = components['schemas']['SourceCreate'];
export type TokenWithSecret = components['schemas']['TokenWithSecret'];
export type TokenLimits = components['schemas']['TokenLimits'];
export type TokenRotate = components['schemas']['TokenRotate'];
export type TokenDeleted = components['schemas']['TokenDeleted'];
export type Token = components['schemas']['Token'];
export type TokenUpdate = components['schemas']['TokenUpdate'];
export type TokenLimitsCreate = components['schemas']['TokenLimitsCreate'];
export type TokenCreate = components['schemas']['TokenCreate'];
export type Whoami = components['schemas']['Whoami'];
export type EventType = components['schemas']['EventType'];
export type Unhealthy = components['schemas']['Unhealthy'];
export type HealthOfCapture = components['schemas']['HealthOfCapture'];
export type Health = components['schemas']['Health'];
export type StageInput = components['schemas']['StageInput'];
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Health */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["EventType"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getWhoami: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whoami */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Token"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenCreate"];
            };
        };
        responses: {
            /** @description TokenWithSecret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenWithSecret"];
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description TokenDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenDeleted"];
                };
            };
        };
    };
    updateToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenUpdate"];
            };
        };
        responses: {
            /** @description Token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TokenRotate"];
            };
        };
        responses: {
            /** @description TokenWithSecret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenWithSecret"];
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Source"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceCreate"];
            };
        };
        responses: {
            /** @description Source */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    getSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Source */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    deleteSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description SourceDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceDeleted"];
                };
            };
        };
    };
    updateSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceUpdate"];
            };
        };
        responses: {
            /** @description Source */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    verifySource: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description `reason` is null exactly where `ok` is true */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceVerification"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CatalogModel"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    proxyChatCompletions: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyCompletions: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyEmbeddings: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyResponses: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyDecisions: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyAlphaDecisions: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxySystemOne: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyPrefixedSystemOne: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyMessages: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyPrefixedMessages: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                "X-Service-Tags"?: string;
                "X-Service-External-Id"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description What the upstream answers, as it is | The upstream's stream, byte for byte */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                    "text/event-stream": string;
                };
            };
        };
    };
    proxyCountTokens: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description The count of the upstream, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyPrefixedCountTokens: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description The count of the upstream, as it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyModels: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models of the source and svc:<alias> of each deployment, in one form for the clients of all dialects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyPrefixedModels: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models of the source and svc:<alias> of each deployment, in one form for the clients of all dialects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    proxyModel: {
        parameters: {
            query?: never;
            header?: {
                "X-Service-Source"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the source says of the model, or the deployment that is svc:<alias> */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
        };
    };
    listCapturedCalls: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                source?: string;
                model?: string;
                tag?: string;
                external_id?: string;
                served_by?: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
                outcome?: "succeeded" | "failed" | "aborted";
                verifies?: "true" | "false";
                text?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CapturedCall"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getCapturedCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CapturedCallDetail */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapturedCallDetail"];
                };
            };
        };
    };
    deleteCapturedCall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CapturedCallDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapturedCallDeleted"];
                };
            };
        };
    };
    listFeedback: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                call_id?: string;
                external_id?: string;
                name?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Feedback"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createFeedback: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackCreate"];
            };
        };
        responses: {
            /** @description Feedback */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query: {
                from: string;
                to: string;
                interval: "hour" | "day";
                group_by?: "source" | "model" | "served_by" | "deployment";
                deployment?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description CallMetricsList */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallMetricsList"];
                };
            };
        };
    };
    listLoops: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Loop"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createLoop: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoopCreate"];
            };
        };
        responses: {
            /** @description Loop */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Loop"];
                };
            };
        };
    };
    getLoop: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                loop_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `latest` has the newest of each kind that names the loop */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoopWithLatest"];
                };
            };
        };
    };
    updateLoop: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                loop_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoopUpdate"];
            };
        };
        responses: {
            /** @description Loop */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Loop"];
                };
            };
        };
    };
    listUploads: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Upload"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key": string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadCreate"];
            };
        };
        responses: {
            /** @description Upload */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Upload */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    putUploadContent: {
        parameters: {
            query?: {
                capability?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Upload */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
        };
    };
    headUploadContent: {
        parameters: {
            query?: {
                capability?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                upload_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description <No Content> */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listConnectors: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Connector"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectorCreate"];
            };
        };
        responses: {
            /** @description Connector */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    getConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Connector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    deleteConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ConnectorDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorDeleted"];
                };
            };
        };
    };
    updateConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectorUpdate"];
            };
        };
        responses: {
            /** @description Connector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connector"];
                };
            };
        };
    };
    createPull: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                connector_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Pull */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pull"];
                };
            };
        };
    };
    listPulls: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                connector?: string;
                status?: "queued" | "running" | "succeeded" | "failed";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Pull"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getPull: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                pull_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pull */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pull"];
                };
            };
        };
    };
    listDatasets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Dataset"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createDataset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetCreate"];
            };
        };
        responses: {
            /** @description Dataset */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
        };
    };
    getDataset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dataset */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
        };
    };
    listDatasetVersions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DatasetVersion"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createDatasetVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DatasetVersionCreate"];
            };
        };
        responses: {
            /** @description DatasetVersion */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetVersion"];
                };
            };
        };
    };
    getDatasetVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description DatasetVersion */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetVersion"];
                };
            };
        };
    };
    listDatasetRows: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                split?: "train" | "holdout";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: Record<string, unknown>[];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listDatasetSuspects: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Suspect"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    exportDatasetVersion: {
        parameters: {
            query?: {
                split?: "train" | "holdout";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                dataset_version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listRewards: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Reward"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createReward: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RewardCreate"];
            };
        };
        responses: {
            /** @description `secret` signs the requests to an http scorer; it is shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RewardCreated"];
                };
            };
        };
    };
    getReward: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                reward_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reward */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reward"];
                };
            };
        };
    };
    scoreCompletion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                reward_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScoreRequest"];
            };
        };
        responses: {
            /** @description `score` is null exactly where `detail.error` says why there is none */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Score"];
                };
            };
        };
    };
    proposeRecipe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposalRequest"];
            };
        };
        responses: {
            /** @description Proposal */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    listStudentBases: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StudentBase"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listComputeProfiles: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ComputeProfile"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                status?: "queued" | "validating" | "running" | "evaluating" | "succeeded" | "failed" | "canceled";
                dry_run?: "true" | "false";
                dataset_version?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Run"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createRun: {
        parameters: {
            query?: never;
            header: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key": string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunCreate"];
            };
        };
        responses: {
            /** @description Run */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    getRunMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RunMetrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunMetrics"];
                };
            };
        };
    };
    getRunLogs: {
        parameters: {
            query?: {
                stage?: 1 | 2 | 3 | 4 | 5;
                after?: string;
                limit?: number;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RunLogs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunLogs"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description Run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunRetry"];
            };
        };
        responses: {
            /** @description Run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    streamRun: {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events state (the run, whenever its status or a stage's changes), metric and log, as they come; ids count from 1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Report"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
        };
    };
    shareReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReportShareRequest"];
            };
        };
        responses: {
            /** @description ReportShare */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportShare"];
                };
            };
        };
    };
    unshareReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ReportShareDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportShareDeleted"];
                };
            };
        };
    };
    getSharedReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                share_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                    "text/html": string;
                };
            };
        };
    };
    listStudentModels: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StudentModel"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createStudentModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StudentModelCreate"];
            };
        };
        responses: {
            /** @description Of `origin` `external`: `report`, `dataset_version` and `accuracy` are those of its latest evaluation, null before it */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudentModel"];
                };
            };
        };
    };
    getStudentModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                student_model_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of `origin` `external`: `report`, `dataset_version` and `accuracy` are those of its latest evaluation, null before it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudentModel"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                alias?: string;
                status?: "provisioning" | "ready" | "failed" | "retired";
                mode?: "active" | "shadow";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deployment"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key": string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentCreate"];
            };
        };
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    updateDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentUpdate"];
            };
        };
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    getDeploymentAgreement: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How often the student said the same as the upstream, in shadow and when it was verified, since the deployment has it: in at most 60 periods of equal length, oldest first; those without a comparison are left out. `compared` and `agreed` are of the period, `agreement` of all comparisons until its end, with a 95 % confidence sequence. Made of the shadow results that are kept */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentAgreement"];
                };
            };
        };
    };
    rollbackDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    acceptDeploymentDrift: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    retrainDeployment: {
        parameters: {
            query?: never;
            header: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key": string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentRetrain"];
            };
        };
        responses: {
            /** @description Run */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    retireDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentWithFigures"];
                };
            };
        };
    };
    listReviewQueues: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                dataset_version?: string;
                deployment?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ReviewQueue"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createReviewQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewQueueCreate"];
            };
        };
        responses: {
            /** @description ReviewQueue */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
        };
    };
    getReviewQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                review_queue_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description ReviewQueue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
        };
    };
    leaseReviewEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                review_queue_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description ReviewTurn */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewTurn"];
                };
            };
        };
    };
    giveReviewVerdict: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                review_queue_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewVerdict"];
            };
        };
        responses: {
            /** @description ReviewTurn */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewTurn"];
                };
            };
        };
    };
    undoReviewVerdict: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                review_queue_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewUndo"];
            };
        };
        responses: {
            /** @description ReviewTurn */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewTurn"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description What a caller said (`role` user), or what answers it. `question` is the message that an answer is to, `call` its captured call. | With `stream`: events message.delta (id, conversation, text) as the text comes, then one message.completed (the message) or message.failed (id, error) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                    "text/event-stream": string;
                };
            };
            /** @description The answer that is to come to `webhook` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageQueued"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Agent"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentCreate"];
            };
        };
        responses: {
            /** @description Without a source the default one is asked, and without a model the first that the source names */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without a source the default one is asked, and without a model the first that the source names */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description AgentDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDeleted"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentUpdate"];
            };
        };
        responses: {
            /** @description Without a source the default one is asked, and without a model the first that the source names */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                agent?: string;
                session?: string;
                sandbox?: "true" | "false";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Conversation"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `agent` and `channel` are those of its last question */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                type?: string;
                order?: "asc" | "desc";
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookEndpoint"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointCreate"];
            };
        };
        responses: {
            /** @description WebhookEndpointWithSecret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebhookEndpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebhookEndpointDeleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointDeleted"];
                };
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointUpdate"];
            };
        };
        responses: {
            /** @description WebhookEndpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                created_after?: string;
                created_before?: string;
                status?: "pending" | "failed" | "succeeded" | "dead_lettered";
                event_type?: string;
            };
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WebhookDeliveryDetail */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookSecretRotate"];
            };
        };
        responses: {
            /** @description WebhookEndpointWithSecret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
        };
    };
    pingWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description WebhookPing */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPing"];
                };
            };
        };
    };
    recoverWebhookDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRecover"];
            };
        };
        responses: {
            /** @description WebhookRecovery */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRecovery"];
                };
            };
        };
    };
    redeliverWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Names one logical write for 24 hours: the same key and bytes replay the stored answer. */
                "Idempotency-Key"?: string;
                /** @description The version of the API that the answer is to be in; by default the newest, which this document describes. */
                "Service-Version"?: "2026-11-01" | "2026-10-01";
            };
            path: {
                webhook_endpoint_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description WebhookDelivery */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
}
