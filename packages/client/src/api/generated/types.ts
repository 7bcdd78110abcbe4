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
         * One call, with shadow answers and feedback
         * @description One call, with shadow answers and feedback.
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
         * Feedback, newest first; filtered by call, including feedback by external id
         * @description Feedback, newest first; filtered by call, including feedback by external id.
         */
        get: operations["listFeedback"];
        put?: never;
        /**
         * Rate an answer, by call id or by external id, also before the call
         * @description Rate an answer, by call id or by external id, also before the call.
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
         * One loop, with its newest resource of each kind
         * @description One loop, with its newest resource of each kind.
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
         * Try a reward: score one completion for one row
         * @description Try a reward: score one completion for one row.
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
         * Base models for students
         * @description Base models for students.
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
         * Compute profiles for runs, with prices
         * @description Compute profiles for runs, with prices.
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
         * Queue rows of a version, or a deployment's least confident calls, for human review
         * @description Queue rows of a version, or a deployment's least confident calls, for human review.
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
         * Messages of a conversation, newest first
         * @description Messages of a conversation, newest first.
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
         * Send one signed test event now, also to a disabled endpoint
         * @description Send one signed test event now, also to a disabled endpoint.
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
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description The type, a stable text for programs. */
                type: string;
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
                /** @description The field of the request that is at fault; null if none is. */
                param: string | null;
                /** @description Names the request; the server's log has the same id. */
                request_id: string;
                /** @description How long to wait before the request is sent again. */
                retry_after_seconds?: number;
            };
        };
        WebhookDelivery: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_delivery";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The endpoint that the delivery goes to. */
            webhook_endpoint_id: string;
            /** @description The event that is delivered; the same in every delivery of it. */
            event_id: string;
            /** @description The type of the delivered event. */
            event_type: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "pending" | "failed" | "succeeded" | "dead_lettered";
            /** @description How many attempts were made. */
            attempt_count: number;
            /** @description What the receiver answered last; null before the first attempt. */
            last_response: {
                /** @description The HTTP status; null without a response. */
                status_code: number | null;
                /** @description The beginning of the receiver's response body. */
                body_snippet: string;
                /** @description How long it took, in milliseconds. */
                duration_ms: number;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
            };
            /** @description When the next attempt is due; null if none is. */
            next_retry_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * Format: date-time
         * @description ISO 8601, UTC, with milliseconds
         */
        Timestamp: string;
        WebhookRecovery: {
            /** @description How many deliveries were queued again. */
            queued: number;
        };
        WebhookRecover: {
            /**
             * Format: date-time
             * @description From this time on: ISO 8601, UTC.
             */
            since: string;
        };
        WebhookPing: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_ping";
            /** @description Whether the receiver answered with a 2xx status. */
            delivered: boolean;
            /** @description The HTTP status; null without a response. */
            status_code: number | null;
            /** @description The beginning of the receiver's response body. */
            body_snippet: string;
            /** @description How long it took, in milliseconds. */
            duration_ms: number;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: string | null;
        };
        WebhookPingRequest: {
            /** @description The event type of the catalog to send, with an example of its object, in test mode alone; webhook.ping by default. */
            type?: string | null;
        };
        WebhookEndpointWithSecret: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_endpoint";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * Format: uri
             * @description Its URL.
             */
            url: string;
            /** @description A text for people. */
            description: string;
            /** @description Event types to deliver: exact ones, `<prefix>.*`, or `*` for all. */
            enabled_events: string[];
            /** @description The dated version of the API in which events are rendered. */
            api_version: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** @description Until when deliveries are signed with the previous secret too; null: they are not. */
            previous_secret_expires_at: components["schemas"]["Timestamp"] | null;
            /** @description How deliveries to the endpoint went. */
            delivery_stats: {
                /** @description The share of deliveries of the last 24 hours that succeeded; null without deliveries. */
                success_rate_24h: number | null;
                /** @description Deliveries that are not final yet. */
                pending: number;
                /** @description Deliveries whose attempts all failed. */
                dead_lettered: number;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret: string;
        };
        WebhookSecretRotate: {
            /** @description How long the old secret stays valid beside the new one; not at all by default. */
            expires_in_seconds?: number | null;
        };
        WebhookDeliveryDetail: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_delivery";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The endpoint that the delivery goes to. */
            webhook_endpoint_id: string;
            /** @description The event that is delivered; the same in every delivery of it. */
            event_id: string;
            /** @description The type of the delivered event. */
            event_type: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "pending" | "failed" | "succeeded" | "dead_lettered";
            /** @description How many attempts were made. */
            attempt_count: number;
            /** @description What the receiver answered last; null before the first attempt. */
            last_response: {
                /** @description The HTTP status; null without a response. */
                status_code: number | null;
                /** @description The beginning of the receiver's response body. */
                body_snippet: string;
                /** @description How long it took, in milliseconds. */
                duration_ms: number;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
            };
            /** @description When the next attempt is due; null if none is. */
            next_retry_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The attempts, the oldest first. */
            attempts: components["schemas"]["WebhookDeliveryAttempt"][];
        };
        WebhookDeliveryAttempt: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_delivery_attempt";
            /** @description The number of the attempt, from 1. */
            attempt: number;
            /**
             * @description What started the attempt: the retry schedule, or a redelivery.
             * @enum {string}
             */
            trigger: "automatic" | "manual";
            /** @description The HTTP status; null without a response. */
            status_code: number | null;
            /** @description The beginning of the receiver's response body. */
            body_snippet: string;
            /** @description How long it took, in milliseconds. */
            duration_ms: number;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: string | null;
            /** @description When work on it began: ISO 8601, UTC. */
            started_at: components["schemas"]["Timestamp"];
        };
        WebhookEndpointDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_endpoint";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        WebhookEndpoint: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "webhook_endpoint";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * Format: uri
             * @description Its URL.
             */
            url: string;
            /** @description A text for people. */
            description: string;
            /** @description Event types to deliver: exact ones, `<prefix>.*`, or `*` for all. */
            enabled_events: string[];
            /** @description The dated version of the API in which events are rendered. */
            api_version: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /** @description Until when deliveries are signed with the previous secret too; null: they are not. */
            previous_secret_expires_at: components["schemas"]["Timestamp"] | null;
            /** @description How deliveries to the endpoint went. */
            delivery_stats: {
                /** @description The share of deliveries of the last 24 hours that succeeded; null without deliveries. */
                success_rate_24h: number | null;
                /** @description Deliveries that are not final yet. */
                pending: number;
                /** @description Deliveries whose attempts all failed. */
                dead_lettered: number;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        WebhookEndpointUpdate: {
            /** @description Its URL. */
            url?: string | null;
            /** @description A text for people. */
            description?: string | null;
            /** @description Event types to deliver: exact ones, `<prefix>.*`, or `*` for all. */
            enabled_events?: string[] | null;
            /** @description The dated version of the API in which events are rendered. */
            api_version?: ("2026-11-01" | "2026-10-01") | null;
            /** @description Where it is in its life. */
            status?: ("enabled" | "disabled") | null;
        };
        WebhookEndpointCreate: {
            /**
             * Format: uri
             * @description Its URL.
             */
            url: string;
            /** @description A text for people. */
            description?: string | null;
            /** @description Event types to deliver: exact ones, `<prefix>.*`, or `*` for all. */
            enabled_events: string[];
            /** @description The dated version of the API in which events are rendered. */
            api_version?: ("2026-11-01" | "2026-10-01") | null;
        };
        Event: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "event";
            /** @description The type, a stable text for programs. */
            type: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The workspace of the event. */
            workspace_id: string;
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The dated version of the API in which events are rendered. */
            api_version: string;
            /** @description The items. */
            data: {
                /** @description The kind of this object. */
                object: Record<string, unknown>;
            };
        };
        /** @description What a caller said (`role` user), or what answers it. `question` is the message that an answer is to, `call` its captured call. */
        Message: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "message";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The id of the conversation. */
            conversation: string;
            /** @description Your key of the conversation: messages under one key belong together. */
            session: string;
            /**
             * @description Who speaks: `user` or `assistant`.
             * @enum {string}
             */
            role: "user" | "assistant";
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "queued" | "completed" | "failed" | "handed_off";
            /** @description The text of the message. */
            text: string;
            /** @description Your name of who wrote the message. */
            author: string;
            /** @description The agent that answers; null: none. */
            agent: string | null;
            /** @description The channel through which the message came; null: none. */
            channel: string | null;
            /** @description The message that this one answers; null if it answers none. */
            question: string | null;
            /** @description Where a conversation is handed over to people; null: nowhere. */
            handoff_url: string | null;
            /** @description The time to the last byte of the response, in milliseconds. */
            latency_ms: number | null;
            /** @description The captured call of the answer; null without one. */
            call: string | null;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description The delivery of the answer to your webhook; null without one. */
            callback: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
                /** @description The id of the delivery. */
                delivery_id: string;
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                status: "pending" | "attempted" | "succeeded" | "failed";
                /** @description The HTTP status; null without a response. */
                status_code: number | null;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
                /** @description When the attempt was made: ISO 8601, UTC. */
                attempted_at: components["schemas"]["Timestamp"] | null;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description `agent` and `channel` are those of its last question */
        Conversation: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "conversation";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description Your key of the conversation: messages under one key belong together. */
            session: string;
            /** @description The agent that answers; null: none. */
            agent: string | null;
            /** @description The channel through which the message came; null: none. */
            channel: string | null;
            /** @description Whether the conversation is a test of an agent. */
            sandbox: boolean;
            /** @description How many messages the conversation has. */
            message_count: number;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        AgentDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "agent";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        /** @description Without a source the default one is asked, and without a model the first that the source names */
        Agent: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "agent";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description What the model is told before the conversation. */
            instructions: string;
            /** @description The id of the source. */
            source: string | null;
            /** @description The model that is asked. */
            model: string | null;
            /** @description Where a conversation is handed over to people; null: nowhere. */
            handoff_url: string | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        AgentUpdate: {
            /** @description The name that people see. */
            name?: string | null;
            /** @description What the model is told before the conversation. */
            instructions?: string | null;
            /** @description null: the default source */
            source?: string | null;
            /** @description null: the first that the source names */
            model?: string | null;
            /** @description null: none */
            handoff_url?: string | null;
        };
        AgentCreate: {
            /** @description The name that people see. */
            name: string;
            /** @description What the model is told before the conversation. */
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
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "message";
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "queued";
            /** @description The id of the conversation. */
            conversation: string;
            /** @description Your key of the conversation: messages under one key belong together. */
            session: string;
        };
        /** @description `stream` sends the answer as it comes; it does not go with `webhook` */
        ChatRequest: {
            /** @description The text of the message. */
            text: string;
            /** @description The agent that answers; null: none. */
            agent?: string | null;
            /** @description The id of the conversation. */
            conversation?: string | null;
            /** @description Your key of the conversation: messages under one key belong together. */
            session?: string | null;
            /** @description The channel through which the message came; null: none. */
            channel?: string | null;
            /** @description Where to send the answer instead of in the response. */
            webhook?: string | null;
            /** @description Your name of who wrote the message. */
            author?: string | null;
            /** @description Whether the answer is streamed. */
            stream?: boolean | null;
        };
        ReviewTurn: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "review_turn";
            /** @description Whether the queue of due work answers. */
            queue: components["schemas"]["ReviewQueue"];
            /** @description Leased to the caller; null when nothing is left to judge */
            entry: {
                /** @description From 1: names the entry in a verdict */
                entry: number;
                /** @description The prompt */
                messages: Record<string, unknown>[];
                /** @description The answer. */
                answer: string;
                /** @description The most probable other answer to a suspect */
                suggested: string | null;
                /** @description Of the suggested answer, or of the student in its answer to the call */
                confidence: number | null;
                /** @description The most similar train rows; empty beyond the first suspects */
                neighbours: {
                    /** @description The beginning of the row's last message */
                    text: string;
                    /** @description The answer. */
                    answer: string;
                    /** @description Cosine of the two rows' features */
                    similarity: number;
                }[];
                /** @description The answers to choose among, likely ones first; empty where the answers are no closed set */
                labels: string[];
                /** @description The captured call of the answer; null without one. */
                call: string | null;
                /** @description Whether a student gave the answer */
                by_student: boolean;
                /** @description Until when the entry belongs to the caller: ISO 8601, UTC. */
                leased_until: components["schemas"]["Timestamp"];
            } | null;
            /** @description Entries that the caller may judge now, this one included */
            left: number;
            /** @description The entry of the caller's last verdict: what an undo names */
            last: number | null;
        };
        ReviewQueue: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "review_queue";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description What the queue was made of.
             * @enum {string}
             */
            of: "suspects" | "holdout" | "unsure";
            /** @description The version of a dataset. */
            dataset_version: string | null;
            /** @description The deployment; null: none. */
            deployment: string | null;
            /** @description How many entries the queue has. */
            entries: number;
            /** @description Entries with a verdict; skipping is none */
            judged: number;
            /** @description Entries without an answer that a person can judge, or whose call was removed */
            gone: number;
            /** @description The people who judged, with their pace. */
            people: {
                /** @description The person or token. */
                by: {
                    /**
                     * @description The kind; it decides which other fields apply.
                     * @enum {string}
                     */
                    kind: "person" | "token" | "operator";
                    /** @description The id, with the prefix of its kind. */
                    id: string | null;
                };
                /** @description How many verdicts there are. */
                verdicts: number;
                /** @description How many entries were skipped. */
                skipped: number;
                /** @description Verdicts per minute of work; pauses of five minutes and more are left out */
                per_minute: number | null;
            }[];
            /** @description Entries that two people judged, and the share on which they say the same */
            agreement: {
                /** @description How many pairs of verdicts on the same entry there are. */
                pairs: number;
                /** @description How many compared answers were the same. */
                agreed: number;
                /** @description The value. */
                value: number | null;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        ReviewUndo: {
            /** @description The number of the entry, from 1. */
            entry: number;
        };
        ReviewVerdict: {
            /** @description The number of the entry, from 1. */
            entry: number;
            /**
             * @description What the person decided.
             * @enum {string}
             */
            verdict: "right" | "wrong" | "correction" | "skip";
            /** @description Of a `correction`: the right answer, one of the entry's labels where it has any */
            answer?: string | null;
        };
        ReviewQueueCreate: {
            /** @description The version of a dataset. */
            dataset_version?: string | null;
            /** @description The deployment; null: none. */
            deployment?: string | null;
            /** @description Of a version: the rows whose answers look wrong, or a random sample of the holdout, by which reports speak of reviewers */
            of?: ("suspects" | "holdout") | null;
            /** @description The largest number of items. */
            limit?: number | null;
            /** @description The share of the entries that two people judge, so that their agreement is known */
            shared?: number | null;
        } & ({
            /** @description The version of a dataset. */
            dataset_version: string;
        } | {
            /** @description The deployment; null: none. */
            deployment: string;
        });
        /** @description `figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all of them together; `figures.questions` counts up to 1,000 questions. `drift` sets the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know */
        DeploymentWithFigures: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "deployment";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that callers use: `svc:<alias>`. */
            alias: string;
            /** @description The model that is asked. */
            model: string;
            /**
             * @description `active`: the student answers; `shadow`: it gets copies, and the upstream answers.
             * @enum {string}
             */
            mode: "active" | "shadow";
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "provisioning" | "ready" | "failed" | "retired";
            /** @description The student model. */
            student_model: string;
            /** @description The student before this one, to which a rollback returns; null: none. */
            previous_student_model: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop: string | null;
            /** @description Who answers where the student does not. */
            fallback: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The fallback answers where the student is less sure than this, from 0 to 1. */
                below_confidence: number | null;
            } | null;
            /**
             * @description What a failed fallback means: the student answers, or the call fails.
             * @enum {string}
             */
            on_fallback_failure: "answer" | "fail";
            /**
             * @description `whole`: the student gives whole answers; `closed_only`: it gives the fields with a closed set of values, and the fallback the others.
             * @enum {string}
             */
            fields: "whole" | "closed_only";
            /** @description The percentage of calls that the student gets. */
            traffic_percent: number;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms: number;
            /** @description Where the call went in the API, or where a model answers. */
            endpoint: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The last four characters of the provider's key. */
                api_key_last4: string | null;
            } | null;
            /** @description Whether this server starts and stops the model's server. */
            managed: boolean;
            /** @description When to stop a student whose agreement drops. */
            guard: {
                /** @description The lowest acceptable agreement, from 0 to 1. */
                min_agreement: number | null;
                /** @description The percentage of the student's answers that are compared with the fallback's. */
                verify_percent: number;
                /**
                 * @description What happens when the agreement is too low.
                 * @enum {string}
                 */
                on_breach: "fallback" | "notify";
                /** @description The comparison by which the guard acted; null: it did not act. */
                breach: {
                    /** @description The lowest acceptable agreement, from 0 to 1. */
                    min_agreement: number;
                    /** @description The measured agreement. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description How many comparisons there are. */
                    comparisons: number;
                    /** @description The id of the question. */
                    question: string | null;
                    /**
                     * @description What the guard compared.
                     * @enum {string}
                     */
                    by: "agreement" | "difference";
                } | null;
            } | null;
            /** @description When the guard acted; null: never. */
            guarded_at: components["schemas"]["Timestamp"] | null;
            /** @description When a drift was detected; null: never. */
            drifted_at: components["schemas"]["Timestamp"] | null;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description When it was retired; null: it is not. */
            retired_at: components["schemas"]["Timestamp"] | null;
            /** @description The share of compared answers that are the same, from 0 to 1. */
            agreement: {
                /** @description The value. */
                value: number;
                /** @description The lower end of the interval. */
                low: number;
                /** @description The upper end of the interval. */
                high: number;
                /** @description How many comparisons there are. */
                comparisons: number;
                /** @description The method by which the interval was computed. */
                method: string;
                /** @description The questions. */
                questions: {
                    /** @description The id of the question. */
                    question: string;
                    /** @description The name that people see. */
                    name: string | null;
                    /** @description The lowest acceptable agreement, from 0 to 1. */
                    min_agreement: number;
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description How many comparisons there are. */
                    comparisons: number;
                    /** @description When the guard acted; null: never. */
                    guarded_at: components["schemas"]["Timestamp"] | null;
                }[];
            } | null;
            /** @description How calls differ from those before. */
            drift: {
                /** @description From this time on: ISO 8601, UTC. */
                since: components["schemas"]["Timestamp"];
                /** @description Captured calls. */
                calls: number;
                /** @description The share of calls that the fallback answered. */
                fallback_share: {
                    /** @description The value in the time before. */
                    before: number;
                    /** @description The value now. */
                    now: number;
                    /** @description The probability that a difference this large is chance. */
                    by_chance: number;
                } | null;
                /** @description How often, by reason. */
                reasons: {
                    [key: string]: number;
                };
                /** @description How sure the student was, from 0 to 1; null without a student. */
                confidence: {
                    /** @description The value in the time before. */
                    before: number;
                    /** @description The value now. */
                    now: number;
                    /** @description The probability that a difference this large is chance. */
                    by_chance: number;
                } | null;
                /** @description The labels. */
                labels: {
                    /** @description How far the distributions are apart, from 0 to 1. */
                    distance: number;
                    /** @description The probability that a difference this large is chance. */
                    by_chance: number;
                } | null;
                /** @description Prompts with a template that training did not have. */
                new_templates: number | null;
            };
            /** @description Counts and savings since the deployment began. */
            figures: {
                /** @description Calls by who answered. */
                calls: {
                    /** @description Answers of the upstream. */
                    upstream: number;
                    /** @description Of the student. */
                    student: number;
                    /** @description Copies that a student in shadow got. */
                    shadow: number;
                    /** @description Answers of the fallback. */
                    upstream_fallback: number;
                    /** @description Answers that student and fallback gave together. */
                    mixed: number;
                };
                /** @description How many failed. */
                failed: number;
                /** @description Copies that a student in shadow answered. */
                shadowed: number;
                /** @description Copies that a student in shadow did not answer. */
                shadow_failed: number;
                /** @description How many answers were compared. */
                compared: number;
                /** @description How many compared answers were the same. */
                agreed: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: number | null;
                /** @description The student's mean latency, in milliseconds; null without calls. */
                student_latency_ms_mean: number | null;
                /** @description The upstream's mean latency, in milliseconds; null without calls. */
                upstream_latency_ms_mean: number | null;
                /** @description What the upstream cost, in US dollars. */
                upstream_cost_usd: number | null;
                /** @description What a call to the upstream costs on average, in US dollars; null: unknown. */
                upstream_cost_usd_mean: number | null;
                /** @description What the student's answers would have cost at the upstream, less what the student has paid for embeddings, in US dollars; null: unknown. */
                cost_saved_usd: number | null;
                /** @description The questions. */
                questions: {
                    /** @description The id of the question. */
                    question: string;
                    /** @description The name that people see. */
                    name: string | null;
                    /** @description How often the student answered. */
                    answered_here: number;
                    /** @description How often the question was asked. */
                    asked: number;
                    /** @description How many answers were compared. */
                    compared: number;
                    /** @description How many compared answers differed. */
                    disagreed: number;
                }[];
            };
        };
        Run: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_run";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string | null;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "queued" | "validating" | "running" | "evaluating" | "succeeded" | "failed" | "canceled";
            /** @description Whether it is a rehearsal, which trains and spends nothing. */
            dry_run: boolean;
            /** @description The version of a dataset. */
            dataset_version: string;
            /** @description The name of the student that the run makes; null: none. */
            student_model_name: string | null;
            /** @description The executable part of the plan: student base, stages and rewards. */
            recipe: Record<string, unknown>;
            /** @description SHA-256 over data, recipe, budget and compute: the same plan has the same hash. */
            plan_hash: string;
            /** @description The rehearsal that this run follows; null: none. */
            validated_dry_run: string | null;
            /** @description Where the run executes. */
            compute: {
                /** @description The compute profile. */
                profile: string;
                /** @description The kind of machine; null: any. */
                machine: string | null;
                /** @description Whether the machine may be taken away. */
                spot: boolean;
                /** @description The kind of GPU; null: none. */
                gpu: string | null;
            };
            /** @description What was used so far. */
            totals: {
                /** @description Seconds of the machine. */
                gpu_seconds: number;
                /** @description Tokens of judges. */
                judge_tokens: number;
                /** @description Tokens of candidates. */
                candidate_tokens: number;
                /** @description The cost in US dollars; null: no price is known. */
                cost_usd: number;
            };
            /** @description What the run may cost. */
            budget: {
                /** @description The most that it may cost, in US dollars. */
                max_cost_usd: number;
            };
            /** @description What executes the stages. */
            executor: string;
            /** @description What did not stop it and needs attention. */
            warnings: string[];
            /** @description The report; null: none. */
            report: string | null;
            /** @description The student model. */
            student_model: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop: string | null;
            /** @description The deployment whose student the run replaces; null: none. */
            retrains: string | null;
            /** @description The stage that is executed; null: none. */
            current_stage: {
                /** @description The number in its order, from 1. */
                seq: number;
                /** @description The kind; it decides which other fields apply. */
                kind: string;
                /**
                 * @description Where it is in its life.
                 * @enum {string}
                 */
                status: "pending" | "running" | "succeeded" | "failed" | "canceled" | "skipped";
            };
            /** @description The stages, in their order. */
            stages: components["schemas"]["RunStage"][];
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
                /** @description The number of the stage. */
                stage: number;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description When work on it began: ISO 8601, UTC. */
            started_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ended: ISO 8601, UTC; null before. */
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        RunStage: {
            /** @description The number in its order, from 1. */
            seq: number;
            /** @description The kind; it decides which other fields apply. */
            kind: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "pending" | "running" | "succeeded" | "failed" | "canceled" | "skipped";
            /** @description The number of the attempt, from 1. */
            attempt: number;
            /** @description Settings of the kind. */
            config: Record<string, unknown>;
            /** @description When work on it began: ISO 8601, UTC. */
            started_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ended: ISO 8601, UTC; null before. */
            finished_at: components["schemas"]["Timestamp"] | null;
            /** @description Measured values of the stage. */
            metrics: {
                [key: string]: number;
            };
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description Whether the stage has logs. */
            logs_available: boolean;
        };
        /** @description `budget` is of the run. A test token's is a dry run, which trains and deploys nothing */
        DeploymentRetrain: {
            /** @description What the run may cost. */
            budget: {
                /** @description The most that it may cost, in US dollars. */
                max_cost_usd: number;
            };
            /** @description Whether it is a rehearsal, which trains and spends nothing. */
            dry_run?: boolean | null;
        };
        /** @description What is absent stays, of `endpoint` and `guard` too */
        DeploymentUpdate: {
            /** @description The student model. */
            student_model?: string | null;
            /** @description `active`: the student answers; `shadow`: it gets copies, and the upstream answers. */
            mode?: ("active" | "shadow") | null;
            /** @description null: none */
            fallback?: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description null: no threshold */
                below_confidence?: number | null;
            } | null;
            /** @description What a failed fallback means: the student answers, or the call fails. */
            on_fallback_failure?: ("answer" | "fail") | null;
            /** @description `whole`: the student gives whole answers; `closed_only`: it gives the fields with a closed set of values, and the fallback the others. */
            fields?: ("whole" | "closed_only") | null;
            /** @description The percentage of calls that the student gets. */
            traffic_percent?: number | null;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms?: number | null;
            /** @description null: expressly none */
            guard?: {
                /** @description null: the lower bound of the student's evidence */
                min_agreement?: number | null;
                /** @description The percentage of the student's answers that are compared with the fallback's. */
                verify_percent?: number | null;
                /** @description What happens when the agreement is too low. */
                on_breach?: ("fallback" | "notify") | null;
            } | null;
            /** @description null: none */
            endpoint?: {
                /** @description The URL below which the provider answers, with its `/v1`. */
                base_url?: string | null;
                /** @description The model that is asked. */
                model?: string | null;
                /** @description null: none */
                api_key?: string | null;
            } | null;
        };
        /** @description How often the student said the same as the upstream, in shadow and when it was verified, since the deployment has it: in at most 60 periods of equal length, oldest first; those without a comparison are left out. `compared` and `agreed` are of the period, `agreement` of all comparisons until its end, with a 95 % confidence sequence. Made of the shadow results that are kept */
        DeploymentAgreement: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "deployment_agreement";
            /** @description The deployment; null: none. */
            deployment: string;
            /** @description From this time on: ISO 8601, UTC. */
            since: components["schemas"]["Timestamp"];
            /** @description The method by which the interval was computed. */
            method: string;
            /** @description The agreement by period, the newest last. */
            periods: {
                /** @description Up to this time: ISO 8601, UTC. */
                until: components["schemas"]["Timestamp"];
                /** @description How many answers were compared. */
                compared: number;
                /** @description How many compared answers were the same. */
                agreed: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                };
            }[];
        };
        Deployment: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "deployment";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that callers use: `svc:<alias>`. */
            alias: string;
            /** @description The model that is asked. */
            model: string;
            /**
             * @description `active`: the student answers; `shadow`: it gets copies, and the upstream answers.
             * @enum {string}
             */
            mode: "active" | "shadow";
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "provisioning" | "ready" | "failed" | "retired";
            /** @description The student model. */
            student_model: string;
            /** @description The student before this one, to which a rollback returns; null: none. */
            previous_student_model: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop: string | null;
            /** @description Who answers where the student does not. */
            fallback: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The fallback answers where the student is less sure than this, from 0 to 1. */
                below_confidence: number | null;
            } | null;
            /**
             * @description What a failed fallback means: the student answers, or the call fails.
             * @enum {string}
             */
            on_fallback_failure: "answer" | "fail";
            /**
             * @description `whole`: the student gives whole answers; `closed_only`: it gives the fields with a closed set of values, and the fallback the others.
             * @enum {string}
             */
            fields: "whole" | "closed_only";
            /** @description The percentage of calls that the student gets. */
            traffic_percent: number;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms: number;
            /** @description Where the call went in the API, or where a model answers. */
            endpoint: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The last four characters of the provider's key. */
                api_key_last4: string | null;
            } | null;
            /** @description Whether this server starts and stops the model's server. */
            managed: boolean;
            /** @description When to stop a student whose agreement drops. */
            guard: {
                /** @description The lowest acceptable agreement, from 0 to 1. */
                min_agreement: number | null;
                /** @description The percentage of the student's answers that are compared with the fallback's. */
                verify_percent: number;
                /**
                 * @description What happens when the agreement is too low.
                 * @enum {string}
                 */
                on_breach: "fallback" | "notify";
                /** @description The comparison by which the guard acted; null: it did not act. */
                breach: {
                    /** @description The lowest acceptable agreement, from 0 to 1. */
                    min_agreement: number;
                    /** @description The measured agreement. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description How many comparisons there are. */
                    comparisons: number;
                    /** @description The id of the question. */
                    question: string | null;
                    /**
                     * @description What the guard compared.
                     * @enum {string}
                     */
                    by: "agreement" | "difference";
                } | null;
            } | null;
            /** @description When the guard acted; null: never. */
            guarded_at: components["schemas"]["Timestamp"] | null;
            /** @description When a drift was detected; null: never. */
            drifted_at: components["schemas"]["Timestamp"] | null;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description When it was retired; null: it is not. */
            retired_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description `fallback` is required of an active one whose `traffic_percent` is below 100; `endpoint` of an llm student. `guard` is on by default: a student without evidence is not made active; null is expressly off */
        DeploymentCreate: {
            /** @description The name that callers use: `svc:<alias>`. */
            alias: string;
            /** @description The student model. */
            student_model: string;
            /**
             * @description `active`: the student answers; `shadow`: it gets copies, and the upstream answers.
             * @enum {string}
             */
            mode: "active" | "shadow";
            /** @description null: none */
            fallback?: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description null: no threshold */
                below_confidence?: number | null;
            } | null;
            /** @description What a failed fallback means: the student answers, or the call fails. */
            on_fallback_failure?: ("answer" | "fail") | null;
            /** @description `whole`: the student gives whole answers; `closed_only`: it gives the fields with a closed set of values, and the fallback the others. */
            fields?: ("whole" | "closed_only") | null;
            /** @description The percentage of calls that the student gets. */
            traffic_percent?: number | null;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms?: number | null;
            /** @description null: expressly none */
            guard?: {
                /** @description null: the lower bound of the student's evidence */
                min_agreement?: number | null;
                /** @description The percentage of the student's answers that are compared with the fallback's. */
                verify_percent?: number | null;
                /** @description What happens when the agreement is too low. */
                on_breach?: ("fallback" | "notify") | null;
            } | null;
            /** @description null: none */
            endpoint?: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description The model that is asked. */
                model: string;
                /** @description null: none */
                api_key?: string | null;
            } | null;
        };
        /** @description Of `origin` `external`: `report`, `dataset_version` and `accuracy` are those of its latest evaluation, null before it */
        StudentModel: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "student_model";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Whether a run made the student, or it was registered.
             * @enum {string}
             */
            origin: "run" | "external";
            /** @description The name that people see. */
            name: string | null;
            /** @description The model that training started from. */
            base: string;
            /** @description The run; null: none. */
            run: string | null;
            /** @description The report; null: none. */
            report: string | null;
            /** @description The version of a dataset. */
            dataset_version: string | null;
            /** @description The case of the version's rows; null without a version, and for students of earlier servers */
            case: ("classification" | "extraction" | "generation" | "tool_use" | "conversation" | "decision") | null;
            /** @description What executes the stages. */
            executor: string;
            /** @description Where the call went in the API, or where a model answers. */
            endpoint: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The last four characters of the provider's key. */
                api_key_last4: string | null;
                /** @description US dollars for a million input tokens; null: unknown. */
                input_per_million: number | null;
                /** @description US dollars for a million output tokens; null: unknown. */
                output_per_million: number | null;
            } | null;
            /** @description The files of the student; null: it has none here. */
            artifact: {
                /** @description The SHA-256 of the bytes, in hexadecimal. */
                sha256: string;
                /** @description The size in bytes; null before it is known. */
                bytes: number;
                /** @description The form of the content. */
                format: string;
            } | null;
            /** @description The share of right answers, from 0 to 1; null before an evaluation. */
            accuracy: number | null;
            /** @description By ascending `threshold` (`below_confidence`), at most 200: the share of holdout rows that the student answers, and its agreement with the teacher on them with a 95 % interval, by the weights of the rows; null without answered rows. `[]` without an evaluation */
            agreement_at: {
                /** @description The confidence from which the student answers. */
                threshold: number;
                /** @description The share of the whole, from 0 to 1. */
                share: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
            }[];
            /** @description What a student of decisions answers; empty for other students. `threshold` null: not learnt well enough to answer alone */
            questions: {
                /** @description The id of the question. */
                question: string;
                /** @description The name that people see. */
                name: string | null;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "predicate" | "choice" | "score";
                /** @description The options of the question. */
                options: {
                    /** @description The value. */
                    value: string | boolean;
                    /** @description A text for people. */
                    description?: string;
                }[];
                /** @description The confidence from which the student answers. */
                threshold: number | null;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
            }[];
            /** @description Its agreement on the holdout rows of each system prompt that it learnt, and the least `threshold` at which the lower bound of the agreement reaches 0.98, null where none does; it is advice, and a deployment has one `below_confidence`. `[]` without prompts or an evaluation */
            templates: {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description The confidence from which the student answers. */
                threshold: number | null;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                };
            }[];
            /** @description What the student does with prompts unlike its training. */
            unlike: components["schemas"]["Unlike"] | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The shares sent away as out_of_distribution, measured at the training: of rows held back as they are, of the same rows with harmless changes by name, and of other tasks, languages and bytes */
        Unlike: {
            /** @description How many rows there are; null before they are read. */
            rows: number;
            /** @description Prompts as they are. */
            as_they_are: number;
            /** @description Prompts with a changed part. */
            changed: {
                [key: string]: number;
            };
            /** @description Prompts of another task. */
            others: {
                [key: string]: number;
            };
        };
        /** @description `endpoint` is where it answers chat completions; `artifact` instead is an upload of the format `student_model`, with the digest of its bytes, which this server serves. Without either it cannot be evaluated, and each of its deployments names an endpoint. Prices are US dollars for a million tokens. `run` is the run that it belongs to, if any */
        StudentModelCreate: {
            /** @description The name that people see. */
            name: string;
            /** @description The model that training started from. */
            base_model: string;
            /** @description Where the call went in the API, or where a model answers. */
            endpoint?: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The provider's key: encrypted at rest, and never shown again. */
                api_key?: string | null;
                /** @description US dollars for a million input tokens; null: unknown. */
                input_per_million?: number | null;
                /** @description US dollars for a million output tokens; null: unknown. */
                output_per_million?: number | null;
            } | null;
            /** @description The files of the student; null: it has none here. */
            artifact?: {
                /** @description The upload. */
                upload: string;
                /** @description The SHA-256 of the bytes, in hexadecimal. */
                sha256: string;
            } | null;
            /** @description The run; null: none. */
            run?: string | null;
        };
        Report: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_report";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "ready";
            /** @description The run; null: none. */
            run: string;
            /** @description Whether it is a rehearsal, which trains and spends nothing. */
            dry_run: boolean;
            /** @description The student model. */
            student_model: string | null;
            /** @description The findings in one sentence. */
            summary: string;
            /** @description Held-out rows that were evaluated. */
            evaluated_rows: number;
            /** @description Rows that count, without repetitions. */
            effective_rows: number;
            /** @description The rewards, with their weights. */
            rewards: {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description The name that people see. */
                name: string;
                /** @description The kind; it decides which other fields apply. */
                kind: string;
                /** @description Of the student. */
                student: number | null;
                /** @description Of the teacher. */
                teacher: number | null;
                /** @description The 95 % confidence interval. */
                interval: {
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description The method by which the interval was computed. */
                    method: string;
                } | null;
                /** @description The teacher's 95 % confidence interval. */
                teacher_interval: {
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description The method by which the interval was computed. */
                    method: string;
                } | null;
                /** @description The student's mean score less the teacher's. */
                difference: number | null;
                /** @description The 95 % confidence interval of the difference. */
                difference_interval: {
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description The method by which the interval was computed. */
                    method: string;
                } | null;
                /** @description Rows in which the student scored higher. */
                wins: number;
                /** @description Rows with equal scores. */
                ties: number;
                /** @description Rows in which the student scored lower. */
                losses: number;
                /** @description Rows without a score. */
                unscored: number;
            }[];
            /** @description The share of right answers, from 0 to 1; null before an evaluation. */
            accuracy: {
                /** @description The value. */
                value: number;
                /** @description The 95 % confidence interval. */
                interval: {
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description The method by which the interval was computed. */
                    method: string;
                } | null;
                /** @description How many answers are right. */
                correct: number;
            } | null;
            /** @description By ascending `threshold` (`below_confidence`), at most 200: the share of holdout rows that the student answers, and its agreement with the teacher on them with a 95 % interval, by the weights of the rows; null without answered rows. `[]` without an evaluation */
            agreement_at: {
                /** @description The confidence from which the student answers. */
                threshold: number;
                /** @description The share of the whole, from 0 to 1. */
                share: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
            }[];
            /** @description How often the teacher gives the same answer to the same prompt. */
            teacher_itself: {
                /** @description The value. */
                value: number;
                /** @description The lower end of the interval. */
                low: number;
                /** @description The upper end of the interval. */
                high: number;
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /**
                 * @description The method by which the interval was computed.
                 * @enum {string}
                 */
                method: "asked_again" | "repeated_calls";
            } | null;
            /** @description The recommended threshold; null: none. */
            recommendation: {
                /** @description The confidence from which the student answers. */
                threshold: number;
                /** @description The share of the whole, from 0 to 1. */
                share: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                };
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                };
                /** @description The agreement to reach. */
                target: number;
                /**
                 * @description Where the target comes from.
                 * @enum {string}
                 */
                target_is: "teacher_itself" | "one" | "reviewed";
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: number;
                /** @description The method by which the interval was computed. */
                method: string;
                /** @description What 1,000 calls save, in US dollars. */
                saving_usd_per_1000: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
                /** @description What a month saves at the present traffic, in US dollars. */
                saving_usd_per_month: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
            } | null;
            /** @description Why no threshold is recommended; null with a recommendation. */
            recommendation_reason: string;
            /** @description The answers that people reviewed. */
            reviewed: {
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description Of the student. */
                student: {
                    /** @description The value. */
                    value: number;
                    /** @description The 95 % confidence interval. */
                    interval: {
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                        /** @description The method by which the interval was computed. */
                        method: string;
                    } | null;
                    /** @description How many answers are right. */
                    correct: number;
                    /** @description Reviewed answers without a decision. */
                    undecided: number;
                };
                /** @description Of the teacher. */
                teacher: {
                    /** @description The value. */
                    value: number;
                    /** @description The 95 % confidence interval. */
                    interval: {
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                        /** @description The method by which the interval was computed. */
                        method: string;
                    } | null;
                    /** @description How many answers are right. */
                    correct: number;
                };
                /** @description Rows in which the student scored higher. */
                wins: number;
                /** @description Rows in which the student scored lower. */
                losses: number;
            } | null;
            /** @description How well confidence and accuracy match. */
            calibration: {
                /** @description The mean distance between confidence and accuracy. */
                expected_error: number;
                /** @description Answers by confidence. */
                bins: {
                    /** @description The lower end of the bin. */
                    from: number;
                    /** @description The upper end of the bin. */
                    to: number;
                    /** @description How many there are. */
                    count: number;
                    /** @description How sure the student was, from 0 to 1; null without a student. */
                    confidence: number | null;
                    /** @description The share of right answers, from 0 to 1; null before an evaluation. */
                    accuracy: number | null;
                }[];
            } | null;
            /** @description The time to the last byte of the response, in milliseconds. */
            latency_ms: {
                /** @description Of the student. */
                student: {
                    /** @description How many there are. */
                    count: number;
                    /** @description The arithmetic mean. */
                    mean: number;
                    /** @description The median. */
                    p50: number;
                    /** @description The 90th percentile. */
                    p90: number;
                    /** @description The 95th percentile. */
                    p95: number;
                    /** @description The 99th percentile. */
                    p99: number;
                    /** @description The largest value. */
                    max: number;
                } | null;
                /** @description Of the teacher. */
                teacher: {
                    /** @description How many there are. */
                    count: number;
                    /** @description The arithmetic mean. */
                    mean: number;
                    /** @description The median. */
                    p50: number;
                    /** @description The 90th percentile. */
                    p90: number;
                    /** @description The 95th percentile. */
                    p95: number;
                    /** @description The 99th percentile. */
                    p99: number;
                    /** @description The largest value. */
                    max: number;
                } | null;
            } | null;
            /** @description What 1,000 calls cost, in US dollars. */
            cost_per_1000_calls_usd: {
                /** @description Of the student. */
                student: number | null;
                /** @description Of the teacher. */
                teacher: number | null;
            } | null;
            /** @description The rows with the lowest scores. */
            worst_examples: {
                /** @description The row. */
                row: string;
                /** @description The prompt. */
                prompt: string;
                /** @description Of the student. */
                student: string;
                /** @description Of the teacher. */
                teacher: string;
                /** @description How sure the student was, from 0 to 1; null without a student. */
                confidence: number | null;
                /** @description The scores. */
                scores: {
                    [key: string]: number | null;
                };
            }[];
            /** @description What explains the figures, and what would improve them. */
            advice: {
                /** @description A student that always gives the most frequent answer. */
                most_frequent: {
                    /** @description The answer. */
                    answer: string;
                    /** @description The share of the whole, from 0 to 1. */
                    share: number;
                    /** @description Whether the student is better. */
                    beaten: boolean;
                } | null;
                /** @description How often the teacher gives the same answer to the same prompt. */
                teacher_itself?: {
                    /** @description Rows by prompt. */
                    prompts: number;
                    /** @description The share of compared answers that are the same, from 0 to 1. */
                    agreement: number;
                    /** @description The 95 % confidence interval. */
                    interval: {
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                        /** @description The method by which the interval was computed. */
                        method: string;
                    } | null;
                } | null;
                /** @description The labels. */
                labels: {
                    /** @description The label. */
                    label: string;
                    /** @description Rows with this label. */
                    support: number;
                    /** @description The share of right answers among those with this label. */
                    precision: number | null;
                    /** @description The share of rows with this label that were answered right. */
                    recall: number | null;
                }[];
                /** @description Pairs of answers that are confused most often. */
                confusions: {
                    /** @description Of the teacher. */
                    teacher: string;
                    /** @description Of the student. */
                    student: string;
                    /** @description How many there are. */
                    count: number;
                }[];
                /** @description `whole`: the student gives whole answers; `closed_only`: it gives the fields with a closed set of values, and the fallback the others. */
                fields?: {
                    /** @description The path of the field. */
                    field: string;
                    /** @description The share of compared answers that are the same, from 0 to 1. */
                    agreement: number;
                    /** @description The 95 % confidence interval. */
                    interval: {
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                        /** @description The method by which the interval was computed. */
                        method: string;
                    } | null;
                    /** @description A student that always gives the most frequent answer. */
                    most_frequent: {
                        /** @description The answer. */
                        answer: string;
                        /** @description The share of the whole, from 0 to 1. */
                        share: number;
                    };
                    /** @description The labels. */
                    labels: {
                        /** @description The label. */
                        label: string;
                        /** @description Rows with this label. */
                        support: number;
                        /** @description The share of right answers among those with this label. */
                        precision: number | null;
                        /** @description The share of rows with this label that were answered right. */
                        recall: number | null;
                    }[];
                    /** @description Pairs of answers that are confused most often. */
                    confusions: {
                        /** @description Of the teacher. */
                        teacher: string;
                        /** @description Of the student. */
                        student: string;
                        /** @description How many there are. */
                        count: number;
                    }[];
                    /** @description The scores. */
                    scores?: {
                        /** @description The scores. */
                        scores: number;
                        /** @description The mean distance from the right value. */
                        mean_error: number;
                        /** @description The mean distance of a constant answer. */
                        constant_error: number;
                        /** @description The share of answers at most one level away. */
                        within_one: number;
                        /** @description Rows without a score. */
                        unscored: number;
                        /** @description The words of the scale, ascending; absent for numbers. */
                        words?: string[];
                    } | null;
                }[];
                /** @description The scores. */
                scores?: {
                    /** @description The scores. */
                    scores: number;
                    /** @description The mean distance from the right value. */
                    mean_error: number;
                    /** @description The mean distance of a constant answer. */
                    constant_error: number;
                    /** @description The share of answers at most one level away. */
                    within_one: number;
                    /** @description Rows without a score. */
                    unscored: number;
                    /** @description The words of the scale, ascending; absent for numbers. */
                    words?: string[];
                } | null;
                /** @description Student and fallback together, by threshold. */
                cascade: {
                    /** @description The agreement to reach. */
                    target_agreement: number | null;
                    /** @description The steps. */
                    steps: {
                        /** @description The confidence from which the student answers. */
                        threshold: number;
                        /** @description The share of the whole, from 0 to 1. */
                        share: number;
                        /** @description The share of compared answers that are the same, from 0 to 1. */
                        agreement: number | null;
                        /** @description The 95 % confidence interval. */
                        interval: {
                            /** @description The lower end of the interval. */
                            low: number;
                            /** @description The upper end of the interval. */
                            high: number;
                            /** @description The method by which the interval was computed. */
                            method: string;
                        } | null;
                        /** @description The agreement of student and fallback together. */
                        cascade_agreement: number;
                        /** @description What 1,000 calls cost, in US dollars. */
                        cost_per_1000_calls_usd: number | null;
                    }[];
                    /** @description The recommended threshold; null: none. */
                    recommended_threshold: number | null;
                } | null;
                /** @description What the student saves. */
                saving: {
                    /** @description What 1,000 calls save, in US dollars. */
                    per_1000_calls_usd: number;
                    /** @description After how many calls the run has paid for itself; null: never. */
                    break_even_calls: number | null;
                } | null;
                /** @description Remarks for people. */
                notes: string[];
            } | null;
            /** @description The questions. */
            questions: {
                /** @description The id of the question. */
                question: string;
                /** @description The name that people see. */
                name: string | null;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "predicate" | "choice" | "score";
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
                /** @description How the right answers are known. */
                truth: {
                    /** @description How many rows there are; null before they are read. */
                    rows: number;
                    /** @description The share of right answers, from 0 to 1; null before an evaluation. */
                    accuracy: number;
                } | null;
                /** @description The Brier score: 0 is best. */
                brier: number | null;
                /** @description The logarithmic loss: 0 is best. */
                log_loss: number | null;
                /** @description The expected calibration error: 0 is best. */
                calibration_error: number | null;
                /** @description The area under the ROC curve; null if one class is missing. */
                auc: number | null;
                /** @description The mean absolute error, in levels. */
                mean_absolute_error: number | null;
                /** @description The ranked probability score: 0 is best. */
                ranked_probability_score: number | null;
                /** @description Refused answers. */
                refusals: number;
                /** @description The confidence from which the student answers. */
                threshold: number | null;
                /** @description The share of rows with an answer. */
                coverage: number;
                /** @description How often the teacher gives the same answer to the same prompt. */
                teacher_itself: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                    /** @description How many rows there are; null before they are read. */
                    rows: number;
                    /**
                     * @description The method by which the interval was computed.
                     * @enum {string}
                     */
                    method: "asked_again" | "repeated_calls";
                } | null;
                /** @description The recommended threshold; null: none. */
                recommendation: {
                    /** @description The confidence from which the student answers. */
                    threshold: number;
                    /** @description The share of the whole, from 0 to 1. */
                    share: {
                        /** @description The value. */
                        value: number;
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                    };
                    /** @description The share of compared answers that are the same, from 0 to 1. */
                    agreement: {
                        /** @description The value. */
                        value: number;
                        /** @description The lower end of the interval. */
                        low: number;
                        /** @description The upper end of the interval. */
                        high: number;
                    };
                    /** @description The agreement to reach. */
                    target: number;
                    /** @description Why it failed, with a code and a message; null if it did not. */
                    error: number;
                    /** @description The method by which the interval was computed. */
                    method: string;
                } | null;
                /** @description Pairs of answers that are confused most often. */
                confusions: {
                    /** @description Of the teacher. */
                    teacher: string;
                    /** @description Of the student. */
                    student: string;
                    /** @description How many there are. */
                    count: number;
                }[];
                /** @description Agreement and share by threshold. */
                curve: {
                    /** @description The confidence from which the student answers. */
                    threshold: number;
                    /** @description The share of rows with an answer. */
                    coverage: number;
                    /** @description The share of compared answers that are the same, from 0 to 1. */
                    agreement: number | null;
                }[];
            }[];
            /** @description Whole requests by who answers them. */
            requests: {
                /** @description How often the student answered. */
                answered_here: number;
                /** @description Answers that student and fallback gave together. */
                mixed: number;
                /** @description Answers of the upstream. */
                upstream: number;
                /** @description What 1,000 calls save, in US dollars. */
                saved_usd_per_1000: number | null;
                /** @description The share of the saving that rests on estimated tokens, from 0 to 1; null: unknown. */
                saved_estimated_share: number | null;
            } | null;
            /** @description What the student does with prompts unlike its training. */
            unlike: components["schemas"]["Unlike"] | null;
            /** @description The agreement of students that learned from a share of the rows. */
            learning_curve: {
                /** @description The share of the whole, from 0 to 1. */
                share: number;
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                };
            }[];
            /** @description What twice as many rows are expected to give; null: unknown. */
            twice_as_many: {
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: number;
                /** @description The expected gain in agreement. */
                gain: number;
                /** @description The exponent of the fitted curve. */
                exponent: number;
                /**
                 * @description The method by which the interval was computed.
                 * @enum {string}
                 */
                method: "inverse_power_law";
            } | null;
            /** @description The compared models. */
            candidates: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The share of compared answers that are the same, from 0 to 1. */
                agreement: {
                    /** @description The value. */
                    value: number;
                    /** @description The lower end of the interval. */
                    low: number;
                    /** @description The upper end of the interval. */
                    high: number;
                } | null;
                /** @description The rewards, with their weights. */
                rewards: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description The name that people see. */
                    name: string;
                    /** @description The kind; it decides which other fields apply. */
                    kind: string;
                    /** @description The score, from 0 to 1. */
                    score: number | null;
                }[];
                /** @description What 1,000 calls cost, in US dollars. */
                cost_per_1000_calls_usd: number | null;
                /** @description The time to the last byte of the response, in milliseconds. */
                latency_ms: {
                    /** @description The median. */
                    p50: number;
                    /** @description The 95th percentile. */
                    p95: number;
                } | null;
                /** @description How many were answered. */
                answered: number;
                /** @description How many failed. */
                failed: number;
            }[];
            /** @description The cheapest that is good enough; null: none. */
            cheapest_alternative: {
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "student" | "cascade" | "candidate" | "teacher";
                /** @description The name that people see. */
                name: string;
                /** @description What 1,000 calls cost, in US dollars. */
                cost_per_1000_calls_usd: number;
                /** @description By how many percentage points it may be worse than the teacher. */
                within_points: number;
                /** @description Others whose difference may be chance. */
                tied_with: string[];
            } | null;
            /** @description What was used so far. */
            totals: {
                /** @description Seconds of the machine. */
                gpu_seconds: number;
                /** @description Tokens of judges. */
                judge_tokens: number;
                /** @description Tokens of candidates. */
                candidate_tokens: number;
                /** @description The cost in US dollars; null: no price is known. */
                cost_usd: number;
            };
            /** @description What the run is expected to take. */
            estimate: {
                /** @description Seconds of the machine. */
                gpu_seconds: number;
                /** @description The cost in US dollars; null: no price is known. */
                cost_usd: number;
                /** @description Seconds that the run took. */
                actual_gpu_seconds: number;
                /** @description What the run cost, in US dollars. */
                actual_cost_usd: number;
                /** @description Actual cost divided by the estimate; null without one. */
                ratio: number | null;
            } | null;
            /** @description What the student was made of. */
            provenance: {
                /** @description The version of a dataset. */
                dataset_version: string;
                /** @description The SHA-256 of the frozen rows, in hexadecimal. */
                content_sha256: string | null;
                /** @description SHA-256 over data, recipe, budget and compute: the same plan has the same hash. */
                plan_hash: string;
                /** @description The executable part of the plan: student base, stages and rewards. */
                recipe: Record<string, unknown>;
                /** @description What executes the stages. */
                executor: string;
                /** @description The SHA-256 of the student's files; null: none. */
                artifact_sha256: string | null;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        ReportShareDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_report_share";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        ReportShare: {
            /**
             * Format: uri
             * @description Its URL.
             */
            url: string;
            /** @description The secret of the shared link. */
            token: string;
            /** @description When it ends by itself: ISO 8601, UTC; null: never. */
            expires_at: components["schemas"]["Timestamp"];
        };
        ReportShareRequest: {
            /** @description How long the old secret stays valid beside the new one; not at all by default. */
            expires_in_seconds?: number | null;
        };
        RunRetry: {
            /** @description The number of the stage from which it starts again. */
            from_stage?: number | null;
            /** @description What the run may cost. */
            budget?: {
                /** @description The most that it may cost, in US dollars. */
                max_cost_usd: number;
            } | null;
        };
        RunLogs: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "run_logs";
            /** @description The run; null: none. */
            run: string;
            /** @description The number of the stage. */
            stage: number | null;
            /** @description The items. */
            data: {
                /** @description The number in its order, from 1. */
                seq: number;
                /** @description The time: ISO 8601, UTC. */
                at: components["schemas"]["Timestamp"];
                /** @description The level of the line. */
                level: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            }[];
            /** @description Continue after this number. */
            next_after: string | null;
            /** @description Whether another page follows. */
            has_more: boolean;
        };
        RunMetrics: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "run_metrics";
            /** @description The run; null: none. */
            run: string;
            /** @description The measured series. */
            series: {
                /** @description The number of the stage. */
                stage: number;
                /** @description The name that people see. */
                name: string;
                /** @description The unit of the values. */
                unit: string;
                /** @description The points of the series, thinned to `max_points` with the extremes kept. */
                points: {
                    /** @description The step of the training. */
                    step: number;
                    /** @description The value. */
                    value: number;
                    /** @description The time: ISO 8601, UTC. */
                    at: components["schemas"]["Timestamp"];
                }[];
                /** @description How many points were measured. */
                total_points: number;
            }[];
            /** @description The most points that a response has. */
            max_points: number;
        };
        RunCreate: {
            /** @description The version of a dataset. */
            dataset_version: string;
            /** @description The name of the student that the run makes; null: none. */
            student_model_name?: string | null;
            /** @description The name that people see. */
            name?: string | null;
            /** @description The executable part of the plan: student base, stages and rewards. */
            recipe: components["schemas"]["Recipe"];
            /** @description What the run may cost. */
            budget: {
                /** @description The most that it may cost, in US dollars. */
                max_cost_usd: number;
            };
            /** @description Where the run executes. */
            compute?: {
                /** @description The compute profile. */
                profile?: string | null;
            } | null;
            /** @description Whether it is a rehearsal, which trains and spends nothing. */
            dry_run?: boolean | null;
            /** @description The loop that it belongs to; null: none. */
            loop?: string | null;
            /** @description The rehearsal that this run follows; null: none. */
            validated_dry_run?: string | null;
            /** @description SHA-256 over data, recipe, budget and compute: the same plan has the same hash. */
            plan_hash?: string | null;
        };
        Recipe: {
            /** @description The student model. */
            student_model: string;
            /** @description The stages, in their order. */
            stages: components["schemas"]["StageInput"][];
            /** @description The rewards, with their weights. */
            rewards: string[];
        };
        Stage: {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "sft";
            /** @description Settings of the kind. */
            config: {
                /** @description How often training goes through the rows. */
                epochs?: number;
                /** @description The rank of the adapter. */
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
                /** @description The learning rate. */
                learning_rate?: number;
                /** @description The longest sequence, in tokens. */
                max_seq_len?: number;
                /**
                 * @description `closed_only`: a builtin student learns the fields of JSON answers with a closed set of values, for a deployment with the same setting. Absent or `whole`: it learns whole answers
                 * @enum {string}
                 */
                fields?: "whole" | "closed_only";
                /** @description The model of a source with the dialect `openai` whose embeddings `builtin/embedding-classifier` learns from and asks for with each request; other students take none */
                embeddings?: {
                    /** @description The id of the source. */
                    source: string;
                    /** @description The model that is asked. */
                    model: string;
                };
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "grpo";
            /** @description Settings of the kind. */
            config: {
                /** @description The steps. */
                steps?: number;
                /** @description Completions for each prompt. */
                group_size?: number;
                /** @description The learning rate. */
                learning_rate?: number;
                /** @description The weight of the distance from the start model. */
                kl_beta?: number;
                /** @description The longest completion, in tokens. */
                max_new_tokens?: number;
                /** @description The sampling temperature. */
                temperature?: number;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "eval";
            /** @description Settings of the kind. */
            config: {
                /** @description The rewards, with their weights. */
                rewards?: string[];
                /** @description The model that judges. */
                judge_model?: string;
                /** @description Rows of the holdout that the evaluation asks about. Absent: all, up to 10000 */
                sample?: number;
                /** @description The compared models. */
                candidates?: {
                    /** @description The id of the source. */
                    source: string;
                    /** @description The model that is asked. */
                    model: string;
                    /** @description What the model is told before the conversation. */
                    instructions?: string;
                }[];
                /** @description Rows of the holdout that a live run asks the teacher again, for `teacher_itself`. Absent: 200, or as many as the budget leaves, where the version is of calls of one model; a number that the budget does not hold fails the run */
                teacher_repeats?: number;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "publish";
            /** @description Settings of the kind. */
            config: {
                /** @description Whether the adapter is merged into the model. */
                merge_adapter?: boolean;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "materialize";
            /** @description Settings of the kind. */
            config: Record<string, unknown>;
        };
        ComputeProfile: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "compute_profile";
            /** @description The kind of machine; null: any. */
            machine: string;
            /** @description The kind of GPU; null: none. */
            gpu: string | null;
            /** @description Whether the machine may be taken away. */
            spot: boolean;
            /** @description US dollars for a second. */
            price_per_gpu_second: number;
            /** @description How well confidence and accuracy match. */
            calibration: Record<string, unknown> | null;
        };
        StudentBase: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "student_base";
            /**
             * @description The program that serves the model.
             * @enum {string}
             */
            engine: "builtin" | "llm";
            /** @description The number of parameters. */
            parameters: number | null;
            /** @description The longest input, in tokens. */
            context_length: number;
            /** @description The stages, in their order. */
            stages: string[];
            /** @description The kinds of task that it can learn. */
            cases: string[];
            /** @description The license of the weights. */
            license: string;
        };
        Proposal: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_recipe";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description The kind of task that the rows are.
             * @enum {string}
             */
            case: "classification" | "extraction" | "generation" | "tool_use" | "conversation" | "decision";
            /** @description The student model. */
            student_model: string;
            /** @description The stages, in their order. */
            stages: components["schemas"]["Stage"][];
            /** @description The rewards, with their weights. */
            rewards: string[];
            /** @description What the run is expected to take. */
            estimate: {
                /** @description Seconds of the machine. */
                gpu_seconds: number;
                /** @description The cost in US dollars; null: no price is known. */
                cost_usd: number;
                /** @description The time in minutes. */
                wall_clock_minutes: number;
                /** @description What the estimate assumes. */
                assumptions: Record<string, unknown>;
            };
            /** @description The version of a dataset. */
            dataset_version: string;
            /**
             * @description What matters most: cost, quality or latency.
             * @enum {string}
             */
            objective: "cost" | "quality" | "latency";
            /**
             * @description How the call ended.
             * @enum {string}
             */
            outcome: "deployable_student" | "report_only";
            /** @description What the run may cost. */
            budget: {
                /** @description The most that it may cost, in US dollars. */
                max_cost_usd: number;
            };
            /** @description Where the run executes. */
            compute: {
                /** @description The compute profile. */
                profile: string;
                /** @description The kind of machine; null: any. */
                machine: string | null;
                /** @description Whether the machine may be taken away. */
                spot: boolean;
                /** @description The kind of GPU; null: none. */
                gpu: string | null;
            };
            /** @description SHA-256 over data, recipe, budget and compute: the same plan has the same hash. */
            plan_hash: string;
            /** @description Why this recipe. */
            rationale: string[];
        };
        ProposalRequest: {
            /** @description The version of a dataset. */
            dataset_version: string;
            /**
             * @description What matters most: cost, quality or latency.
             * @enum {string}
             */
            objective: "cost" | "quality" | "latency";
            /** @description The most that it may cost, in US dollars. */
            max_cost_usd: number;
            /** @description The rewards, with their weights. */
            rewards?: string[] | null;
            /** @description How the call ended. */
            outcome?: ("deployable_student" | "report_only") | null;
        };
        /** @description `score` is null exactly where `detail.error` says why there is none */
        Score: {
            /** @description The score, from 0 to 1. */
            score: number | null;
            /** @description What the reward has to say about the score. */
            detail: {
                /** @description What happened, for people. Do not branch on it. */
                message: string;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
            } & {
                [key: string]: unknown;
            };
        };
        ScoreRequest: {
            /** @description The row. */
            row: {
                /** @description The messages of the prompt. */
                messages: [
                    {
                        /** @description Who speaks: `user` or `assistant`. */
                        role: string;
                    } & {
                        [key: string]: unknown;
                    }
                ];
                /** @description The right answer. */
                completion?: (string | ({
                    /**
                     * @description Who speaks: `user` or `assistant`.
                     * @enum {string}
                     */
                    role: "assistant";
                } & {
                    [key: string]: unknown;
                })) | null;
                /** @description The tools that the model may call. */
                tools?: unknown;
                /** @description Your tags of the call. */
                tags?: string[] | null;
                /** @description Your own id, so that you find it again. */
                external_id?: string | null;
                /** @description Fields of your own, stored as they are. */
                metadata?: Record<string, unknown> | null;
                /** @description How much the row counts. */
                weight?: number | null;
                /** @description Whether the row is for training or for the evaluation. */
                split?: ("train" | "holdout") | null;
            } & {
                [key: string]: unknown;
            };
            /** @description The right answer. */
            completion: string | ({
                /**
                 * @description Who speaks: `user` or `assistant`.
                 * @enum {string}
                 */
                role: "assistant";
            } & {
                [key: string]: unknown;
            });
        };
        Reward: {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "exact_match";
            /** @description Settings of the kind. */
            config: Record<string, unknown>;
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "contains";
            /** @description Settings of the kind. */
            config: {
                /** @description The value. */
                value?: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "regex";
            /** @description Settings of the kind. */
            config: {
                /** @description A regular expression. */
                pattern: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "json_schema";
            /** @description Settings of the kind. */
            config: {
                /** @description A JSON schema. */
                schema: Record<string, unknown>;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "numeric";
            /** @description Settings of the kind. */
            config: {
                /** @description The largest accepted difference. */
                tolerance: number;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "llm_judge";
            /** @description Settings of the kind. */
            config: {
                /** @description How the judge scores. */
                rubric: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The id of the source. */
                source?: string;
                /** @description The range of the judge's scores. */
                scale: {
                    /** @description The smallest value. */
                    min: number;
                    /** @description The largest value. */
                    max: number;
                };
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "http";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description `secret` signs the requests to an http scorer; it is shown this once */
        RewardCreated: {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "exact_match";
            /** @description Settings of the kind. */
            config: Record<string, unknown>;
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "contains";
            /** @description Settings of the kind. */
            config: {
                /** @description The value. */
                value?: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "regex";
            /** @description Settings of the kind. */
            config: {
                /** @description A regular expression. */
                pattern: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "json_schema";
            /** @description Settings of the kind. */
            config: {
                /** @description A JSON schema. */
                schema: Record<string, unknown>;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "numeric";
            /** @description Settings of the kind. */
            config: {
                /** @description The largest accepted difference. */
                tolerance: number;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "llm_judge";
            /** @description Settings of the kind. */
            config: {
                /** @description How the judge scores. */
                rubric: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The id of the source. */
                source?: string;
                /** @description The range of the judge's scores. */
                scale: {
                    /** @description The smallest value. */
                    min: number;
                    /** @description The largest value. */
                    max: number;
                };
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "http";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
            };
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "reward";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The secret, shown this once. Store it now. */
            secret?: string;
        };
        RewardCreate: {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "exact_match";
            /** @description Settings of the kind. */
            config?: Record<string, unknown> | null;
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "contains";
            /** @description Settings of the kind. */
            config?: {
                /** @description The value. */
                value?: string | null;
            } | null;
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "regex";
            /** @description Settings of the kind. */
            config: {
                /** @description A regular expression. */
                pattern: string;
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "json_schema";
            /** @description Settings of the kind. */
            config: {
                /** @description A JSON schema. */
                schema: Record<string, unknown>;
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "numeric";
            /** @description Settings of the kind. */
            config: {
                /** @description The largest accepted difference. */
                tolerance: number;
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "llm_judge";
            /** @description Settings of the kind. */
            config: {
                /** @description How the judge scores. */
                rubric: string;
                /** @description The model that is asked. */
                model: string;
                /** @description The id of the source. */
                source?: string | null;
                /** @description The range of the judge's scores. */
                scale: {
                    /** @description The smallest value. */
                    min: number;
                    /** @description The largest value. */
                    max: number;
                };
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "http";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
            };
        };
        Suspect: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "suspect";
            /** @description From 1, the most suspicious first */
            position: number;
            /** @description Names the row within its version */
            row_key: string;
            /** @description The answer. */
            answer: string;
            /** @description The most probable other answer */
            suggested: string;
            /** @description Of the suggested answer, by a model that has not learnt from the row */
            confidence: number;
            /** @description By how much the suggested answer is more probable than the row's */
            score: number;
            /** @description Whether the answer is more likely wrong than hard to know: `clean: "drop"` leaves only these out */
            confident: boolean;
            /** @description The most similar train rows; empty beyond the first suspects */
            neighbours: {
                /** @description The beginning of the row's last message */
                text: string;
                /** @description The answer. */
                answer: string;
                /** @description Cosine of the two rows' features */
                similarity: number;
            }[];
            /** @description What `clean: "relabel"` has made of the row; null without it */
            relabel: {
                /**
                 * @description `changed`: the row has the answer on which two new ones agree; `confirmed`: a new answer equals the row's; `undecided`: no two answers are equal, and the row stays as it is; `not_asked`: the budget, or a silent source, ended the asking before
                 * @enum {string}
                 */
                outcome: "changed" | "confirmed" | "undecided" | "not_asked";
                /** @description The teacher's new answers, at most two: the first decides where it equals the row's. null: none came */
                answers: (string | null)[];
            } | null;
            /** @description As the version had it */
            row: Record<string, unknown>;
        };
        DatasetVersion: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "dataset_version";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The dataset. */
            dataset: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "building" | "ready" | "failed";
            /** @description Where the rows come from. */
            from: {
                /** @description The upload. */
                upload: string;
                /** @description Versions of datasets. */
                versions?: string[];
            } | {
                /** @description The pull. */
                pull: string;
                /** @description Versions of datasets. */
                versions?: string[];
            } | {
                /** @description Captured calls. */
                calls: {
                    /** @description Your tags of the call. */
                    tags?: string[];
                    /** @description One of your tags of calls. */
                    tag?: string;
                    /** @description The model that is asked. */
                    model?: string;
                    /** @description Calls for this deployment, and those that verify its student's answers */
                    deployment?: string;
                    /** @description Your own id, so that you find it again. */
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
                    /** @description Only calls with at least this feedback. */
                    min_feedback?: number;
                    /** @description These calls, and no others; beside them stand `served_by` and `outcome` alone */
                    ids?: string[];
                    /** @description The largest number of items. */
                    limit?: number;
                    /** @description The id of the source. */
                    source?: string;
                    /** @description Only what was created after this time. */
                    created_after?: components["schemas"]["Timestamp"];
                    /** @description Only what was created before this time. */
                    created_before?: components["schemas"]["Timestamp"];
                };
                /** @description Versions of datasets. */
                versions?: string[];
            } | {
                /** @description Versions of datasets. */
                versions: string[];
            };
            /** @description The share of rows that training never sees, from 0 to 1. */
            holdout_fraction: number;
            /**
             * @description Which rows count as the same.
             * @enum {string}
             */
            dedupe: "exact" | "none";
            /** @description What is replaced in rows before they are stored. */
            redact: ("email" | "phone" | "credit_card" | "api_key")[];
            /** @description The seed of the split, so that it can be repeated. */
            seed: number;
            /** @description How many rows there are; null before they are read. */
            rows: number;
            /** @description Rows to train on. */
            train_rows: number;
            /** @description Rows held out from training, for the evaluation. */
            holdout_rows: number;
            /** @description An estimate of the tokens of all rows. */
            tokens: number;
            /** @description The SHA-256 of the frozen rows, in hexadecimal. */
            content_sha256: string | null;
            /** @description Rows that are not in the version, by reason. */
            dropped: {
                /** @description Rows that another row repeats. */
                duplicates: number;
                /** @description Rows that could not be read. */
                invalid: number;
                /** @description Replaced texts. */
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
            /** @description Rows whose prompt hardly differs from another's. */
            near_duplicates: number;
            /** @description Rows whose prompt other rows answer otherwise, and their share. `agreement_max`: the agreement that no student of these rows can pass, because it gives one answer to each prompt */
            contradictions: {
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of the whole, from 0 to 1. */
                share: number;
                /** @description The agreement that no student can exceed, because equal prompts have different answers. */
                agreement_max: number;
            };
            /**
             * @description Whether rows with a probably wrong answer are reported, left out or asked about again.
             * @enum {string}
             */
            clean: "report" | "drop" | "relabel";
            /** @description The teacher that `clean: "relabel"` asks, and what it may spend; null otherwise */
            relabel: {
                /** @description The source that is asked, by name or id. */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description What the asking may cost. */
                budget: {
                    /** @description The most that it may cost, in US dollars. */
                    max_cost_usd: number;
                };
            } | null;
            /** @description What the build has found among the train rows; null where the request had no `clean`, and until ready */
            cleaning: {
                /** @description How many rows were examined. */
                examined: number;
                /** @description Rows with a probably wrong answer. */
                suspects: number;
                /** @description Suspects that are left out with `clean: "drop"`. */
                confident: number;
                /** @description Why, as a stable name; null if there is no reason to give. */
                reason: string | null;
                /** @description What the teacher's new answers decided; null without them */
                relabel: {
                    /** @description Suspects about which the teacher was asked again */
                    asked: number;
                    /** @description Rows with the answer on which two new ones agree */
                    changed: number;
                    /** @description Rows whose answer a new one repeats */
                    confirmed: number;
                    /** @description Rows without two equal answers; they stay as they are */
                    undecided: number;
                    /** @description What the calls have cost, at most. */
                    spent_usd: number;
                    /** @description Why some suspects were not asked about, for a person; null: all were */
                    reason: string | null;
                } | null;
            } | null;
            /** @description What verdicts of review queues have made of the train rows before equal ones became one: rows that took the right answer, and rows left out, whose answer is wrong while nobody named the right one */
            reviewed: {
                /** @description Rows whose answer people corrected. */
                corrected: number;
                /** @description Rows that are not in the version, by reason. */
                dropped: number;
            };
            /** @description The questions of its decisions, those with the most rows first; empty without decisions */
            questions: {
                /** @description The id of the question. */
                question: string;
                /** @description The name that people see. */
                name: string | null;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "predicate" | "choice" | "score";
                /** @description What the model is told before the conversation. */
                instructions: string;
                /** @description The options of the question. */
                options: {
                    /** @description The value. */
                    value: string | boolean;
                    /** @description A text for people. */
                    description?: string;
                }[];
                /** @description How many rows there are; null before they are read. */
                rows: number;
            }[];
            /** @description How many rows of equal weight tell as much: the square of the sum of the weights by the sum of their squares */
            effective_rows: number;
            /** @description Rows by origin: answers of the upstream, of a fallback, of verifications, and rows of joined versions; null for an upload or a pull alone */
            made_of: {
                /** @description Answers of the upstream. */
                upstream: number;
                /** @description Who answers where the student does not. */
                fallback: number;
                /** @description Rows of verified answers. */
                verified: number;
                /** @description Versions of datasets. */
                versions: number;
            } | null;
            /** @description The 20 most frequent system prompts of its rows: equal after folding case, white space, punctuation and numbers. `sample` is the beginning of one, empty for rows without a system prompt */
            templates: {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of the whole, from 0 to 1. */
                share: number;
                /** @description The beginning of one prompt of the template. */
                sample: string;
            }[];
            /** @description What the fields of its JSON answers hold, or the arguments of its only tool, by JSON Pointer without the first slash; empty for other answers, and until ready. A builtin student can fill `closed` and `ordered` fields. `rows` have the field, and `share` of them a value of the kind */
            fields: {
                /** @description The name that people see. */
                name: string;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "closed" | "ordered" | "number" | "span" | "free";
                /** @description How many rows there are; null before they are read. */
                rows: number;
                /** @description The share of the whole, from 0 to 1. */
                share: number;
            }[];
            /** @description Sentences for a person; empty without a warning */
            warnings: string[];
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        DatasetVersionCreate: {
            /** @description Where the rows come from. */
            from: {
                /** @description The upload. */
                upload?: string | null;
                /** @description The pull. */
                pull?: string | null;
                /** @description Captured calls. */
                calls?: {
                    /** @description Your tags of the call. */
                    tags?: string[] | null;
                    /** @description One of your tags of calls. */
                    tag?: string | null;
                    /** @description The model that is asked. */
                    model?: string | null;
                    /** @description Calls for this deployment, and those that verify its student's answers */
                    deployment?: string | null;
                    /** @description Your own id, so that you find it again. */
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
                    /** @description Only calls with at least this feedback. */
                    min_feedback?: number | null;
                    /** @description These calls, and no others; beside them stand `served_by` and `outcome` alone */
                    ids?: string[] | null;
                    /** @description The largest number of items. */
                    limit?: number | null;
                    /** @description Name or id */
                    source?: string | null;
                    /** @description Only what was created after this time. */
                    created_after?: string | null;
                    /** @description Only what was created before this time. */
                    created_before?: string | null;
                } | null;
                /** @description Ready versions whose rows are joined; a row that two sources have is one */
                versions?: string[] | null;
            };
            /** @description The share of rows that training never sees, from 0 to 1. */
            holdout_fraction?: number | null;
            /** @description Which rows count as the same. */
            dedupe?: ("exact" | "none") | null;
            /** @description What is replaced in rows before they are stored. */
            redact?: ("email" | "phone" | "credit_card" | "api_key")[] | null;
            /** @description The seed of the split, so that it can be repeated. */
            seed?: number | null;
            /** @description `report`: the build looks for train rows whose answers look wrong; `drop` leaves the confident ones out; `relabel` asks a teacher about them again and keeps the vote. Absent: the first training of the builtin student looks for them */
            clean?: ("report" | "drop" | "relabel") | null;
            /** @description With `clean: "relabel"`, and only then: the teacher that is asked at most twice about each suspect, and what that may cost */
            relabel?: {
                /** @description Name or id */
                source: string;
                /** @description The model that is asked. */
                model: string;
                /** @description What the asking may cost. */
                budget: {
                    /** @description The most that it may cost, in US dollars. */
                    max_cost_usd: number;
                };
            } | null;
        };
        Dataset: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "dataset";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description A text for people. */
            description: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop: string | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        DatasetCreate: {
            /** @description The name that people see. */
            name: string;
            /** @description A text for people. */
            description?: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop?: string | null;
        };
        Pull: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "connector_pull";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The connector. */
            connector: string;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed";
            /** @description The size in bytes; null before it is known. */
            bytes: number | null;
            /** @description The SHA-256 of the bytes, in hexadecimal. */
            sha256: string | null;
            /** @description How many rows there are; null before they are read. */
            rows: number | null;
            /** @description The first lines that are no rows. */
            errors: {
                /** @description The number of the line, from 1. */
                line: number;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            }[];
            /** @description How many lines are no rows. */
            error_count: number;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: {
                /** @description A stable name of the cause, for programs. */
                code: string;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When work on it began: ISO 8601, UTC. */
            started_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ended: ISO 8601, UTC; null before. */
            finished_at: components["schemas"]["Timestamp"] | null;
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        ConnectorDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "connector";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        Connector: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "connector";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "http_jsonl";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
                /** @description A mask; the credential itself is never shown */
                auth_header: string | null;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        } | {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "connector";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "openai_stored_completions";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description The URL below which the provider answers, with its `/v1`.
                 */
                base_url: string;
                /** @description A mask; the credential itself is never shown */
                api_key: string | null;
                /** @description The model that is asked. */
                model: string | null;
                /** @description Fields of your own, stored as they are. */
                metadata: {
                    [key: string]: string;
                } | null;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        } | {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "connector";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "s3";
            /** @description Settings of the kind. */
            config: {
                /** @description The name of the bucket. */
                bucket: string;
                /** @description The beginning of the objects' names. */
                prefix: string | null;
                /** @description The name of the object. */
                key: string | null;
                /** @description The region of the bucket. */
                region: string;
                /** @description Where the call went in the API, or where a model answers. */
                endpoint: string | null;
                /** @description Whether the bucket stands in the path of the URL instead of the host. */
                force_path_style: boolean;
                /** @description A mask; the credential itself is never shown */
                access_key_id: string | null;
                /** @description A mask; the credential itself is never shown */
                secret_access_key: string | null;
                /** @description A mask; the credential itself is never shown */
                session_token: string | null;
            };
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Of `config` as many members of the connector's kind as should change; null takes one away */
        ConnectorUpdate: {
            /** @description The name that people see. */
            name?: string | null;
            /** @description Settings of the kind. */
            config?: Record<string, unknown> | null;
        };
        ConnectorCreate: {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "http_jsonl";
            /** @description Settings of the kind. */
            config: {
                /**
                 * Format: uri
                 * @description Its URL.
                 */
                url: string;
                /** @description The header that authenticates the pull: encrypted at rest, and never shown again. */
                auth_header?: string | null;
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "openai_stored_completions";
            /** @description Settings of the kind. */
            config: {
                /** @description The URL below which the provider answers, with its `/v1`. */
                base_url?: string | null;
                /** @description The provider's key: encrypted at rest, and never shown again. */
                api_key: string;
                /** @description The model that is asked. */
                model?: string | null;
                /** @description Fields of your own, stored as they are. */
                metadata?: {
                    [key: string]: string;
                } | null;
            };
        } | {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "s3";
            /** @description Settings of the kind. */
            config: {
                /** @description The name of the bucket. */
                bucket: string;
                /** @description The beginning of the objects' names. */
                prefix?: string | null;
                /** @description The name of the object. */
                key?: string | null;
                /** @description The region of the bucket. */
                region: string;
                /** @description Where the call went in the API, or where a model answers. */
                endpoint?: string | null;
                /** @description The id of the access key. */
                access_key_id: string;
                /** @description The secret of the access key: encrypted at rest, and never shown again. */
                secret_access_key: string;
                /** @description The session token of temporary credentials: encrypted at rest, and never shown again. */
                session_token?: string | null;
                /** @description Whether the bucket stands in the path of the URL instead of the host. */
                force_path_style?: boolean | null;
            };
        };
        Upload: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "upload";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "awaiting_content" | "processing" | "succeeded" | "failed" | "expired";
            /** @description The name of the file. */
            filename: string;
            /**
             * @description The form of the content.
             * @enum {string}
             */
            format: "chat_jsonl" | "decisions_jsonl" | "student_model";
            /** @description The size in bytes; null before it is known. */
            bytes: number | null;
            /** @description The SHA-256 of the bytes, in hexadecimal. */
            sha256: string | null;
            /** @description How many bytes have arrived. */
            received_bytes: number;
            /** @description Where to send the content. The URL is secret; null when no content is expected. */
            upload_url: string | null;
            /** @description How many rows there are; null before they are read. */
            rows: number | null;
            /** @description The first lines that are no rows. */
            errors: {
                /** @description The number of the line, from 1. */
                line: number;
                /** @description What happened, for people. Do not branch on it. */
                message: string;
            }[];
            /** @description How many lines are no rows. */
            error_count: number;
            /** @description The loop that it belongs to; null: none. */
            loop: string | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        UploadCreate: {
            /** @description The name of the file. */
            filename: string;
            /** @description The form of the content. */
            format?: ("chat_jsonl" | "decisions_jsonl" | "student_model") | null;
            /** @description The size in bytes; null before it is known. */
            bytes?: number | null;
            /** @description The SHA-256 of the bytes, in hexadecimal. */
            sha256?: string | null;
            /** @description The loop that it belongs to; null: none. */
            loop?: string | null;
        };
        Loop: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_loop";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description A text for people. */
            description: string | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        LoopUpdate: {
            /** @description The name that people see. */
            name?: string | null;
            /** @description null: none */
            description?: string | null;
        };
        /** @description `latest` has the newest of each kind that names the loop */
        LoopWithLatest: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "distill_loop";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /** @description A text for people. */
            description: string | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
            /** @description The newest resources of the loop. */
            latest: {
                /** @description The upload. */
                upload: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description Where it is in its life. */
                    status: string;
                    /** @description When it was created: ISO 8601, UTC. */
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                /** @description The version of a dataset. */
                dataset_version: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description Where it is in its life. */
                    status: string;
                    /** @description When it was created: ISO 8601, UTC. */
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                /** @description The run; null: none. */
                run: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description Where it is in its life. */
                    status: string;
                    /** @description When it was created: ISO 8601, UTC. */
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                /** @description The report; null: none. */
                report: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description Where it is in its life. */
                    status: string;
                    /** @description When it was created: ISO 8601, UTC. */
                    created_at: components["schemas"]["Timestamp"];
                } | null;
                /** @description The deployment; null: none. */
                deployment: {
                    /** @description The id, with the prefix of its kind. */
                    id: string;
                    /** @description Where it is in its life. */
                    status: string;
                    /** @description When it was created: ISO 8601, UTC. */
                    created_at: components["schemas"]["Timestamp"];
                } | null;
            };
        };
        LoopCreate: {
            /** @description The name that people see. */
            name: string;
            /** @description null: none */
            description?: string | null;
        };
        CallMetricsList: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "list";
            /** @description The items. */
            data: components["schemas"]["CallMetrics"][];
            /**
             * @description Whether another page follows.
             * @enum {boolean}
             */
            has_more: false;
        };
        CallMetrics: {
            /** @description The beginning of the hour or day: ISO 8601, UTC. */
            start: components["schemas"]["Timestamp"];
            /** @description Of a source, its id. Null without `group_by`, and for calls without a value, such as a source */
            group: string | null;
            /** @description How many calls there were. */
            calls: number;
            /** @description How many calls failed. */
            failed: number;
            /** @description Input tokens. */
            input_tokens: number;
            /** @description Output tokens. */
            output_tokens: number;
            /** @description Of the calls with a known cost; null: no call has one */
            cost_usd: number | null;
            /** @description Calls of an upstream without a known cost; neither failed calls nor those of a student */
            unpriced_calls: number;
            /** @description What the calls that a student answered would have cost at the mean cost of its deployment's priced upstream answers, of all time, with a 95 % prediction interval, less what students have paid for embeddings; null without such calls, or with fewer than two such answers */
            saved_usd: {
                /** @description The value. */
                value: number;
                /** @description The lower end of the interval. */
                low: number;
                /** @description The upper end of the interval. */
                high: number;
            } | null;
            /** @description Of succeeded calls, to within a fifth; null without one */
            latency_ms: {
                /** @description The median. */
                p50: number;
                /** @description The 95th percentile. */
                p95: number;
            } | null;
        };
        Feedback: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "feedback";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The captured call. */
            call_id: string | null;
            /** @description Your own id, so that you find it again. */
            external_id: string | null;
            /** @description The name that people see. */
            name: string;
            /** @description The value. */
            value: number;
            /** @description A remark for people. */
            comment: string | null;
            /** @description The question of a call of decisions that it is about; null for the answer as a whole */
            question: string | null;
            /** @description The prompt of a reviewed row, by its key; the comment is then the judged answer, or the right one */
            prompt: string | null;
            /** @description Who gave it; null where it was given before this was kept */
            given_by: {
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "person" | "token" | "operator";
                /** @description The id, with the prefix of its kind. */
                id: string | null;
            } | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description Names the call by `call_id`, `external_id`, or both */
        FeedbackCreate: {
            /** @description The captured call. */
            call_id?: string | null;
            /** @description Your own id, so that you find it again. */
            external_id?: string | null;
            /** @description The name that people see. */
            name: string;
            /** @description The value. */
            value: number;
            /** @description A remark for people. */
            comment?: string | null;
            /** @description A question of a call of decisions: its id, or its name in that call. The comment of a `correction` is then the true option */
            question?: string | null;
        };
        CapturedCallDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "captured_call";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        CapturedCallDetail: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "captured_call";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where the call went in the API, or where a model answers.
             * @enum {string}
             */
            endpoint: "chat.completions" | "completions" | "responses" | "messages" | "embeddings" | "decisions" | "systemone";
            /** @description The id of the source. */
            source: string | null;
            /** @description The name of the source. */
            source_name: string | null;
            /** @description The model that is asked. */
            model: string | null;
            /**
             * @description Who answered: the upstream, the student, the fallback, a shadow copy, or several.
             * @enum {string}
             */
            served_by: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
            /** @description The deployment; null: none. */
            deployment: string | null;
            /** @description Why the fallback answered in place of the student; null if it did not. */
            fallback_reason: string | null;
            /** @description How sure the student was, from 0 to 1; null without a student. */
            confidence: number | null;
            /** @description Your tags of the call. */
            tags: string[];
            /** @description Your own id, so that you find it again. */
            external_id: string | null;
            /** @description The call that a student answered and that this call asked the upstream again; null for other calls */
            verifies: string | null;
            /**
             * @description How the call ended.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "aborted";
            /** @description The HTTP status; null without a response. */
            status_code: number | null;
            /** @description Whether the response was streamed. */
            streamed: boolean;
            /** @description The body of the request. */
            request: unknown;
            /** @description The body of the response; a streamed one put together. */
            response: unknown;
            /** @description Whether more of the request or the response came than is kept: 16 MiB of each; what is cut is a text */
            truncated: boolean;
            /** @description The tokens that the provider counted; null if it counted none. */
            usage: {
                /** @description Input tokens. */
                prompt_tokens: number;
                /** @description Output tokens. */
                completion_tokens: number;
                /** @description Input and output tokens. */
                total_tokens: number;
                /** @description Input tokens by kind. */
                input_tokens_details: {
                    /** @description Input tokens that the provider read from its cache. */
                    cached_tokens: number;
                    /** @description Input tokens that the provider wrote to its cache. */
                    cache_write_tokens: number;
                    /** @description Input tokens that the provider cached for an hour. */
                    cache_write_1h_tokens?: number;
                    /** @description Tokens of audio. */
                    audio_tokens?: number;
                };
                /** @description Output tokens by kind. */
                output_tokens_details: {
                    /** @description Output tokens that the model spent on reasoning. */
                    reasoning_tokens: number;
                    /** @description Tokens of audio. */
                    audio_tokens?: number;
                };
            } | null;
            /** @description The cost in US dollars; null: no price is known. */
            cost_usd: number | null;
            /** @description Whether the balance of the workspace was charged. */
            billed: boolean;
            /** @description The time to the last byte of the response, in milliseconds. */
            latency_ms: number;
            /** @description The time to the first token, in milliseconds; null if it was not measured. */
            first_token_ms: number | null;
            /** @description Requests to sources for this call, of a source with fallbacks or retries; else empty */
            attempts: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string | null;
                /** @description The HTTP status; null without a response. */
                status_code: number | null;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
                /** @description The time to the last byte of the response, in milliseconds. */
                latency_ms: number;
            }[];
            /** @description Answers to the questions of a succeeded request for decisions, in its order; else empty */
            decisions: {
                /** @description The id of the question. */
                question: string;
                /** @description The name that people see. */
                name: string | null;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "predicate" | "choice" | "score";
                /** @description The probability of each option. */
                probabilities: number[] | null;
                /** @description Why no answer was given; null with an answer. */
                refusal: boolean;
                /**
                 * @description Who answered: the upstream, the student, the fallback, a shadow copy, or several.
                 * @enum {string}
                 */
                served_by: "student" | "upstream";
            }[];
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description What the copies of the call to students gave. */
            shadow_results: components["schemas"]["ShadowResult"][];
            /** @description What people and programs said about the answer. */
            feedback: components["schemas"]["Feedback"][];
        };
        ShadowResult: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "shadow_result";
            /** @description The deployment; null: none. */
            deployment: string;
            /** @description Why it failed, with a code and a message; null if it did not. */
            error: string | null;
            /** @description What happened, for people. Do not branch on it. */
            message: unknown;
            /** @description How sure the student was, from 0 to 1; null without a student. */
            confidence: number | null;
            /** @description The time to the last byte of the response, in milliseconds. */
            latency_ms: number;
            /** @description Whether the answers are the same. */
            agrees: boolean | null;
            /** @description The call that this one verifies; null if it verifies none. */
            verifies: boolean;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        CapturedCall: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "captured_call";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where the call went in the API, or where a model answers.
             * @enum {string}
             */
            endpoint: "chat.completions" | "completions" | "responses" | "messages" | "embeddings" | "decisions" | "systemone";
            /** @description The id of the source. */
            source: string | null;
            /** @description The name of the source. */
            source_name: string | null;
            /** @description The model that is asked. */
            model: string | null;
            /**
             * @description Who answered: the upstream, the student, the fallback, a shadow copy, or several.
             * @enum {string}
             */
            served_by: "upstream" | "student" | "shadow" | "upstream_fallback" | "mixed";
            /** @description The deployment; null: none. */
            deployment: string | null;
            /** @description Why the fallback answered in place of the student; null if it did not. */
            fallback_reason: string | null;
            /** @description How sure the student was, from 0 to 1; null without a student. */
            confidence: number | null;
            /** @description Your tags of the call. */
            tags: string[];
            /** @description Your own id, so that you find it again. */
            external_id: string | null;
            /** @description The call that a student answered and that this call asked the upstream again; null for other calls */
            verifies: string | null;
            /**
             * @description How the call ended.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "aborted";
            /** @description The HTTP status; null without a response. */
            status_code: number | null;
            /** @description Whether the response was streamed. */
            streamed: boolean;
            /** @description The body of the request. */
            request: unknown;
            /** @description The body of the response; a streamed one put together. */
            response: unknown;
            /** @description Whether more of the request or the response came than is kept: 16 MiB of each; what is cut is a text */
            truncated: boolean;
            /** @description The tokens that the provider counted; null if it counted none. */
            usage: {
                /** @description Input tokens. */
                prompt_tokens: number;
                /** @description Output tokens. */
                completion_tokens: number;
                /** @description Input and output tokens. */
                total_tokens: number;
                /** @description Input tokens by kind. */
                input_tokens_details: {
                    /** @description Input tokens that the provider read from its cache. */
                    cached_tokens: number;
                    /** @description Input tokens that the provider wrote to its cache. */
                    cache_write_tokens: number;
                    /** @description Input tokens that the provider cached for an hour. */
                    cache_write_1h_tokens?: number;
                    /** @description Tokens of audio. */
                    audio_tokens?: number;
                };
                /** @description Output tokens by kind. */
                output_tokens_details: {
                    /** @description Output tokens that the model spent on reasoning. */
                    reasoning_tokens: number;
                    /** @description Tokens of audio. */
                    audio_tokens?: number;
                };
            } | null;
            /** @description The cost in US dollars; null: no price is known. */
            cost_usd: number | null;
            /** @description Whether the balance of the workspace was charged. */
            billed: boolean;
            /** @description The time to the last byte of the response, in milliseconds. */
            latency_ms: number;
            /** @description The time to the first token, in milliseconds; null if it was not measured. */
            first_token_ms: number | null;
            /** @description Requests to sources for this call, of a source with fallbacks or retries; else empty */
            attempts: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model: string | null;
                /** @description The HTTP status; null without a response. */
                status_code: number | null;
                /** @description Why it failed, with a code and a message; null if it did not. */
                error: string | null;
                /** @description The time to the last byte of the response, in milliseconds. */
                latency_ms: number;
            }[];
            /** @description Answers to the questions of a succeeded request for decisions, in its order; else empty */
            decisions: {
                /** @description The id of the question. */
                question: string;
                /** @description The name that people see. */
                name: string | null;
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "predicate" | "choice" | "score";
                /** @description The probability of each option. */
                probabilities: number[] | null;
                /** @description Why no answer was given; null with an answer. */
                refusal: boolean;
                /**
                 * @description Who answered: the upstream, the student, the fallback, a shadow copy, or several.
                 * @enum {string}
                 */
                served_by: "student" | "upstream";
            }[];
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description US dollars for a million tokens; null where no price is known */
        CatalogModel: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "model";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The id of the source. */
            source: string;
            /** @description The name of the source. */
            source_name: string;
            /** @description US dollars for a million input tokens; null: unknown. */
            input_per_million: number | null;
            /** @description US dollars for a million output tokens; null: unknown. */
            output_per_million: number | null;
            /** @description US dollars for a million input tokens that the provider reads from its cache. */
            cached_input_per_million: number | null;
            /** @description US dollars for a million input tokens that the provider writes to its cache. */
            cache_write_per_million: number | null;
            /** @description US dollars for a million input tokens that the provider caches for an hour. */
            cache_write_1h_per_million: number | null;
            /** @description Factors on the prices, by service tier. */
            tiers: {
                /** @description The factor for batched calls. */
                batch?: number;
                /** @description The factor for calls of the tier `flex`. */
                flex?: number;
                /** @description The factor for calls of the tier `priority`. */
                priority?: number;
            };
            /**
             * @description Where the price comes from.
             * @enum {string}
             */
            price_from: "source" | "price_file" | "none";
        };
        /** @description `reason` is null exactly where `ok` is true */
        SourceVerification: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "source_verification";
            /** @description The id of the source. */
            source: string;
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description Whether the provider accepted URL and key. */
            ok: boolean;
            /** @description Why, as a stable name; null if there is no reason to give. */
            reason: string | null;
            /** @description The HTTP status; null without a response. */
            status_code: number | null;
            /** @description The models, with their prices where known. */
            models: string[];
            /** @description How long it took, in milliseconds. */
            duration_ms: number;
        };
        SourceDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "source";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        Source: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "source";
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "byok" | "managed";
            /**
             * @description The form of requests and responses that the provider speaks.
             * @enum {string}
             */
            dialect: "openai" | "anthropic" | "systemone";
            /**
             * Format: uri
             * @description The URL below which the provider answers, with its `/v1`.
             */
            base_url: string;
            /** @description The last four characters of the provider's key. */
            api_key_last4: string | null;
            /** @description Whether it answers calls that name no source. */
            default: boolean;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms: number;
            /** @description Which calls are captured. */
            capture: {
                /** @description Whether calls are captured. */
                enabled: boolean;
                /** @description The share of calls that is captured, from 0 to 1. */
                sample_rate: number;
                /**
                 * @description Whether a response waits until its call is safe on disk.
                 * @enum {string}
                 */
                durability: "journal" | "buffered";
            };
            /** @description The models, with their prices where known. */
            models: (string | {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description US dollars for a million input tokens; null: unknown. */
                input_per_million?: number;
                /** @description US dollars for a million output tokens; null: unknown. */
                output_per_million?: number;
                /** @description US dollars for a million input tokens that the provider reads from its cache. */
                cached_input_per_million?: number;
                /** @description US dollars for a million input tokens that the provider writes to its cache. */
                cache_write_per_million?: number;
                /** @description US dollars for a million input tokens that the provider caches for an hour. */
                cache_write_1h_per_million?: number;
                /** @description Factors on the prices, by service tier. */
                tiers?: {
                    /** @description The factor for batched calls. */
                    batch?: number;
                    /** @description The factor for calls of the tier `flex`. */
                    flex?: number;
                    /** @description The factor for calls of the tier `priority`. */
                    priority?: number;
                };
                /** @description The most output tokens of a call. */
                max_output_tokens?: number;
            })[];
            /** @description Sources and models that are asked in order after this one has failed. */
            fallbacks: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model?: string;
            }[];
            /** @description How often a failed request is sent again. */
            retries: number;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last changed: ISO 8601, UTC. */
            updated_at: components["schemas"]["Timestamp"];
        };
        SourceUpdate: {
            /** @description The name that people see. */
            name?: string | null;
            /** @description The URL below which the provider answers, with its `/v1`. */
            base_url?: string | null;
            /** @description null: none */
            api_key?: string | null;
            /** @description The API that the provider speaks; by default openai */
            dialect?: ("openai" | "anthropic" | "systemone") | null;
            /** @description Whether it answers calls that name no source. */
            default?: boolean | null;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Which calls are captured. */
            capture?: {
                /** @description Whether calls are captured. */
                enabled?: boolean | null;
                /** @description The share of calls that is captured, from 0 to 1. */
                sample_rate?: number | null;
                /** @description Whether a response waits until its call is safe on disk. */
                durability?: ("journal" | "buffered") | null;
            } | null;
            /** @description The models, with their prices where known. */
            models?: (string | {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description US dollars for a million input tokens; null: unknown. */
                input_per_million?: number | null;
                /** @description US dollars for a million output tokens; null: unknown. */
                output_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider reads from its cache. */
                cached_input_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider writes to its cache. */
                cache_write_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider caches for an hour. */
                cache_write_1h_per_million?: number | null;
                /** @description Factors on the prices, by service tier. */
                tiers?: {
                    /** @description The factor for batched calls. */
                    batch?: number | null;
                    /** @description The factor for calls of the tier `flex`. */
                    flex?: number | null;
                    /** @description The factor for calls of the tier `priority`. */
                    priority?: number | null;
                } | null;
                /** @description The most output tokens of a call. */
                max_output_tokens?: number | null;
            })[] | null;
            /** @description Sources, by name or id, that are asked in this order where this one fails */
            fallbacks?: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model?: string | null;
            }[] | null;
            /** @description How often this source is asked again where it fails; by default 0 */
            retries?: number | null;
        };
        SourceCreate: {
            /** @description The name that people see. */
            name: string;
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "byok" | "managed";
            /**
             * Format: uri
             * @description The URL below which the provider answers, with its `/v1`.
             */
            base_url: string;
            /** @description null: none */
            api_key?: string | null;
            /** @description The API that the provider speaks; by default openai */
            dialect?: ("openai" | "anthropic" | "systemone") | null;
            /** @description Whether it answers calls that name no source. */
            default?: boolean | null;
            /** @description How long to wait for the responder, in milliseconds. */
            timeout_ms?: number | null;
            /** @description Which calls are captured. */
            capture?: {
                /** @description Whether calls are captured. */
                enabled?: boolean | null;
                /** @description The share of calls that is captured, from 0 to 1. */
                sample_rate?: number | null;
                /** @description Whether a response waits until its call is safe on disk. */
                durability?: ("journal" | "buffered") | null;
            } | null;
            /** @description The models, with their prices where known. */
            models?: (string | {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description US dollars for a million input tokens; null: unknown. */
                input_per_million?: number | null;
                /** @description US dollars for a million output tokens; null: unknown. */
                output_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider reads from its cache. */
                cached_input_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider writes to its cache. */
                cache_write_per_million?: number | null;
                /** @description US dollars for a million input tokens that the provider caches for an hour. */
                cache_write_1h_per_million?: number | null;
                /** @description Factors on the prices, by service tier. */
                tiers?: {
                    /** @description The factor for batched calls. */
                    batch?: number | null;
                    /** @description The factor for calls of the tier `flex`. */
                    flex?: number | null;
                    /** @description The factor for calls of the tier `priority`. */
                    priority?: number | null;
                } | null;
                /** @description The most output tokens of a call. */
                max_output_tokens?: number | null;
            })[] | null;
            /** @description Sources, by name or id, that are asked in this order where this one fails */
            fallbacks?: {
                /** @description The id of the source. */
                source: string;
                /** @description The model that is asked. */
                model?: string | null;
            }[] | null;
            /** @description How often this source is asked again where it fails; by default 0 */
            retries?: number | null;
        };
        TokenWithSecret: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "api_token";
            /** @description The name that people see. */
            name: string;
            /**
             * @description The mode of the token: `test` or `live`.
             * @enum {string}
             */
            environment: "test" | "live";
            /** @description What the token permits. */
            scopes: string[];
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "active" | "disabled" | "expired";
            /** @description When the token was last used; null: never. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ends by itself: ISO 8601, UTC; null: never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Limits of the token's proxy calls; null: none. */
            limits: components["schemas"]["TokenLimits"] | null;
            /** @description Who made the token. */
            created_by: {
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "person" | "token" | "operator";
                /** @description The id, with the prefix of its kind. */
                id: string | null;
            } | null;
            /** @description The secret, shown this once. Store it now. */
            secret: string;
        };
        /** @description Limits of proxy calls; an absent member does not limit */
        TokenLimits: {
            /** @description The models, with their prices where known. */
            models?: string[];
            /** @description How many proxy requests are permitted in a minute; null: no limit. */
            requests_per_minute?: number;
            /** @description What proxy calls of a UTC day may cost, in US dollars; null: no limit. */
            max_cost_usd_per_day?: number;
        };
        TokenRotate: {
            /** @description How long the old secret stays valid beside the new one; not at all by default. */
            expires_in_seconds?: number | null;
        };
        TokenDeleted: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "api_token";
            /**
             * @description True: it was removed.
             * @enum {boolean}
             */
            deleted: true;
        };
        Token: {
            /** @description The id, with the prefix of its kind. */
            id: string;
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "api_token";
            /** @description The name that people see. */
            name: string;
            /**
             * @description The mode of the token: `test` or `live`.
             * @enum {string}
             */
            environment: "test" | "live";
            /** @description What the token permits. */
            scopes: string[];
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /**
             * @description Where it is in its life.
             * @enum {string}
             */
            status: "active" | "disabled" | "expired";
            /** @description When the token was last used; null: never. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When it ends by itself: ISO 8601, UTC; null: never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description When it was created: ISO 8601, UTC. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Limits of the token's proxy calls; null: none. */
            limits: components["schemas"]["TokenLimits"] | null;
            /** @description Who made the token. */
            created_by: {
                /**
                 * @description The kind; it decides which other fields apply.
                 * @enum {string}
                 */
                kind: "person" | "token" | "operator";
                /** @description The id, with the prefix of its kind. */
                id: string | null;
            } | null;
        };
        TokenUpdate: {
            /** @description The name that people see. */
            name?: string | null;
            /** @description No limits */
            limits?: components["schemas"]["TokenLimitsCreate"] | null;
        };
        TokenLimitsCreate: {
            /** @description Exact names of models, or beginnings that end with * */
            models?: string[] | null;
            /** @description How many proxy requests are permitted in a minute; null: no limit. */
            requests_per_minute?: number | null;
            /** @description US dollars of a UTC day */
            max_cost_usd_per_day?: number | null;
        };
        TokenCreate: {
            /** @description The name that people see. */
            name: string;
            /** @description What the token permits. */
            scopes: ("distill:read" | "distill:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "tokens:read" | "tokens:write" | "billing:read" | "billing:write" | "agents:read" | "agents:write" | "conversations:read" | "conversations:write" | "sources:read" | "sources:write" | "channels:read" | "channels:write" | "workspace:read" | "workspace:write" | "proxy:write" | "full_access")[];
            /** @description The mode of the token: `test` or `live`. */
            environment?: ("test" | "live") | null;
            /** @description When it ends by itself: ISO 8601, UTC; null: never. */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description No limits */
            limits?: components["schemas"]["TokenLimitsCreate"] | null;
        };
        Whoami: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "whoami";
            /** @description The workspace. */
            workspace: {
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description The name that people see. */
                name: string;
                /** @description The name of the workspace's terms of service. */
                plan: string;
            };
            /** @description The token or session that made the request. */
            credential: {
                /**
                 * @description The type, a stable text for programs.
                 * @enum {string}
                 */
                type: "api_token" | "session";
                /** @description The id, with the prefix of its kind. */
                id: string;
                /** @description The name that people see. */
                name: string;
                /**
                 * @description The mode of the token: `test` or `live`.
                 * @enum {string}
                 */
                environment: "test" | "live";
                /** @description What the token permits. */
                scopes: string[];
                /**
                 * @description Who speaks: `user` or `assistant`.
                 * @enum {string}
                 */
                role?: "owner" | "member" | "viewer";
            };
            /** @description Whether it belongs to live mode; false in test mode. */
            livemode: boolean;
            /** @description The dated version of the API in which events are rendered. */
            api_version: string;
        };
        EventType: {
            /**
             * @description The kind of this object.
             * @enum {string}
             */
            object: "event_type";
            /** @description The type, a stable text for programs. */
            type: string;
            /** @description The subject of the event type. */
            domain: string;
            /** @description A text for people. */
            description: string;
        };
        Unhealthy: {
            /** @description Where it is in its life. */
            status: string;
            /** @description The version of the server. */
            version: string;
            /**
             * @description Whether storage answers and takes writes.
             * @enum {string}
             */
            storage: "read_only" | "unavailable";
            /**
             * @description Whether the queue of due work answers.
             * @enum {string}
             */
            queue: "unavailable";
            /** @description How many workers run in this process. */
            workers: number;
            /** @description The state of captured calls on their way to storage. */
            capture?: components["schemas"]["HealthOfCapture"];
        };
        HealthOfCapture: {
            /** @description Captured calls that are not in storage yet. */
            waiting: number;
            /** @description Captured calls that were given up. */
            dropped: number;
            /** @description Why captured calls do not reach storage; null if they do. */
            trouble: string | null;
        };
        Health: {
            /** @description Where it is in its life. */
            status: string;
            /** @description The version of the server. */
            version: string;
            /**
             * @description Whether storage answers and takes writes.
             * @enum {string}
             */
            storage: "ok";
            /**
             * @description Whether the queue of due work answers.
             * @enum {string}
             */
            queue: "ok";
            /** @description How many workers run in this process. */
            workers: number;
            /** @description The state of captured calls on their way to storage. */
            capture?: components["schemas"]["HealthOfCapture"];
        };
        StageInput: {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "sft";
            /** @description Settings of the kind. */
            config: {
                /** @description How often training goes through the rows. */
                epochs?: number | null;
                /** @description The rank of the adapter. */
                lora_rank?: number | null;
                /** @description Scale of a language model's adapter. Absent: twice `lora_rank` */
                lora_alpha?: number | null;
                /** @description Share of the adapter's inputs that a training step drops. Absent: 0 */
                lora_dropout?: number | null;
                /** @description Names of the layers that get an adapter, such as `q_proj`. Absent: all linear layers */
                target_modules?: string[] | null;
                /** @description Precision of the base model's weights while its adapter is trained. Absent: `none` */
                quantization?: ("none" | "8bit" | "4bit") | null;
                /** @description The learning rate. */
                learning_rate?: number | null;
                /** @description The longest sequence, in tokens. */
                max_seq_len?: number | null;
                /** @description `closed_only`: a builtin student learns the fields of JSON answers with a closed set of values, for a deployment with the same setting. Absent or `whole`: it learns whole answers */
                fields?: ("whole" | "closed_only") | null;
                /** @description The model of a source with the dialect `openai` whose embeddings `builtin/embedding-classifier` learns from and asks for with each request; other students take none */
                embeddings?: {
                    /** @description The id of the source. */
                    source: string;
                    /** @description The model that is asked. */
                    model: string;
                } | null;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "grpo";
            /** @description Settings of the kind. */
            config: {
                /** @description The steps. */
                steps?: number | null;
                /** @description Completions for each prompt. */
                group_size?: number | null;
                /** @description The learning rate. */
                learning_rate?: number | null;
                /** @description The weight of the distance from the start model. */
                kl_beta?: number | null;
                /** @description The longest completion, in tokens. */
                max_new_tokens?: number | null;
                /** @description The sampling temperature. */
                temperature?: number | null;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "eval";
            /** @description Settings of the kind. */
            config: {
                /** @description The rewards, with their weights. */
                rewards?: string[] | null;
                /** @description The model that judges. */
                judge_model?: string | null;
                /** @description Rows of the holdout that the evaluation asks about. Absent: all, up to 10000 */
                sample?: number | null;
                /** @description The compared models. */
                candidates?: {
                    /** @description The id of the source. */
                    source: string;
                    /** @description The model that is asked. */
                    model: string;
                    /** @description What the model is told before the conversation. */
                    instructions?: string | null;
                }[] | null;
                /** @description Rows of the holdout that a live run asks the teacher again, for `teacher_itself`. Absent: 200, or as many as the budget leaves, where the version is of calls of one model; a number that the budget does not hold fails the run */
                teacher_repeats?: number | null;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "publish";
            /** @description Settings of the kind. */
            config: {
                /** @description Whether the adapter is merged into the model. */
                merge_adapter?: boolean | null;
            };
        } | {
            /**
             * @description The kind; it decides which other fields apply.
             * @enum {string}
             */
            kind: "materialize";
            /** @description Settings of the kind. */
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
export type WebhookPingRequest = components['schemas']['WebhookPingRequest'];
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
                "application/json": components["schemas"]["WebhookPingRequest"];
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
