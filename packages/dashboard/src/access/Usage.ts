/** A row of `GET /v1/billing/usage`: usage of one kind on one day (UTC). */
export interface Usage {
  readonly date: string
  readonly kind: string
  readonly quantity: number
  readonly cost_usd: number
}
