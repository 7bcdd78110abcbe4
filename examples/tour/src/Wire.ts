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

export interface Upload {
  readonly id: string
  readonly status: string
  readonly upload_url: string | null
  readonly bytes: number | null
  readonly sha256: string | null
  readonly rows: number | null
}

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
  readonly plan_hash: string
  readonly totals: { readonly gpu_seconds: number; readonly judge_tokens: number; readonly cost_usd: number }
  readonly report: string | null
  readonly student_model: string | null
  readonly stages: ReadonlyArray<Stage>
  readonly error: { readonly message: string } | null
}

export interface Report {
  readonly status: string
  readonly run: string
  readonly summary: string
  readonly provenance: { readonly plan_hash: string }
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
