/** A row of `GET /v1/billing/usage`: what was used on a day (UTC) of one kind. */
export interface Usage {
  readonly date: string
  readonly kind: string
  readonly quantity: number
  readonly cost_usd: number
}
