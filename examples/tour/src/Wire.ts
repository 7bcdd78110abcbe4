/** The fields of the API's resources that the tour reads. */

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export interface Whoami {
  readonly workspace: { readonly name: string }
  readonly credential: { readonly environment: string; readonly scopes: ReadonlyArray<string> }
  readonly livemode: boolean
  readonly api_version: string
}

export interface Endpoint {
  readonly id: string
  readonly secret: string
  readonly status: string
}

export interface Source {
  readonly id: string
  readonly name: string
  readonly api_key_last4: string | null
}

interface ChatCall {
  readonly endpoint: "chat.completions"
  readonly request: { readonly messages: ReadonlyArray<object> }
  readonly response: { readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }> }
}

interface ResponsesCall {
  readonly endpoint: "responses"
  readonly request: { readonly input: ReadonlyArray<object> }
  readonly response: { readonly output: ReadonlyArray<{ readonly content: ReadonlyArray<{ readonly text: string }> }> }
}

interface CallFacts {
  readonly id: string
  readonly served_by: string
  readonly outcome: string
  readonly streamed: boolean
  readonly fallback_reason: string | null
  readonly usage: { readonly prompt_tokens: number } | null
  readonly cost_usd: number | null
  readonly latency_ms: number
}

/** A captured call, with request and response in the form of its API. */
export type Call = CallFacts & (ChatCall | ResponsesCall)

export interface Dataset {
  readonly id: string
}

export interface Version {
  readonly id: string
  readonly status: string
  readonly rows: number
  readonly train_rows: number
  readonly holdout_rows: number
  readonly dropped: { readonly duplicates: number }
}

export interface Proposal {
  readonly case: string
  readonly student_model: string
  readonly stages: ReadonlyArray<{ readonly kind: string; readonly config: object }>
  readonly rewards: ReadonlyArray<string>
  readonly estimate: { readonly cost_usd: number; readonly wall_clock_minutes: number }
  readonly plan_hash: string
}

export interface Stage {
  readonly seq: number
  readonly kind: string
  readonly status: string
}

export interface Run {
  readonly id: string
  readonly status: string
  readonly dry_run: boolean
  readonly validated_dry_run: string | null
  readonly executor: string | null
  readonly plan_hash: string
  readonly totals: {
    readonly gpu_seconds: number
    readonly judge_tokens: number
    readonly candidate_tokens: number
    readonly cost_usd: number
  }
  readonly report: string | null
  readonly student_model: string | null
  readonly stages: ReadonlyArray<Stage>
  readonly error: { readonly message: string } | null
}

export interface Report {
  readonly status: string
  readonly run: string
  readonly summary: string
  readonly student_model: string | null
  readonly evaluated_rows: number
  readonly accuracy: {
    readonly value: number
    readonly interval: { readonly low: number; readonly high: number } | null
  } | null
  readonly cost_per_1000_calls_usd: { readonly student: number | null } | null
  readonly provenance: { readonly plan_hash: string }
}

export interface Deployment {
  readonly id: string
  readonly mode: string
  readonly status: string
  readonly model: string
  readonly guard: { readonly min_agreement: number | null } | null
  readonly error: { readonly message: string } | null
}

export interface DeploymentWithFigures extends Deployment {
  readonly figures: {
    readonly calls: Readonly<Record<string, number>>
    readonly compared: number
    readonly agreement: number | null
    readonly student_latency_ms_mean: number | null
    readonly upstream_latency_ms_mean: number | null
    readonly cost_saved_usd: number | null
  }
}

export interface Logs {
  readonly data: ReadonlyArray<{ readonly seq: number; readonly message: string }>
}

export interface Metrics {
  readonly series: ReadonlyArray<{
    readonly stage: number
    readonly name: string
    readonly points: ReadonlyArray<{ readonly step: number; readonly value: number }>
  }>
}

export interface Event {
  readonly id: string
  readonly type: string
  readonly livemode: boolean
  readonly data: { readonly object: { readonly id: string } }
}

export interface Delivery {
  readonly event_id: string
  readonly status: string
  readonly attempt_count: number
}
