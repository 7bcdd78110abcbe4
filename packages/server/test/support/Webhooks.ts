/** Common steps of webhook tests. */
import { createHmac } from "node:crypto"
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from "@limbeck/api/WebhooksApi"
import { linesOf, readUntil, row, uploadOf } from "@limbeck/testing/http/Steps"
import { type Client, expectStatus, type ListOf } from "./Client.ts"

export type Endpoint = typeof WebhookEndpoint.Type
export type CreatedEndpoint = typeof WebhookEndpointWithSecret.Type
export type Delivery = typeof WebhookDelivery.Type
export type DeliveryDetail = typeof WebhookDeliveryDetail.Type

export const endpoints = "/v1/webhook_endpoints"

export const pathOf = (endpointId: string, deliveryId: string) => `${endpoints}/${endpointId}/deliveries/${deliveryId}`

export const subscribe = async (caller: Client, url: string, enabled_events = ["distill.upload.*"]) =>
  expectStatus(await caller.post<CreatedEndpoint>(endpoints, { url, enabled_events }), 201)

export const change = async (caller: Client, id: string, fields: Readonly<Record<string, unknown>>) =>
  expectStatus(await caller.patch<Endpoint>(`${endpoints}/${id}`, fields), 200)

export const endpointOf = async (caller: Client, id: string) =>
  expectStatus(await caller.get<Endpoint>(`${endpoints}/${id}`), 200)

/** Makes something happen: `distill.upload.succeeded`. */
export const happen = (caller: Client) => uploadOf(caller, linesOf([row(1)]))

export const deliveriesOf = async (caller: Client, id: string, query = "") =>
  expectStatus(await caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries${query}`), 200)

export const detailOf = async (caller: Client, { id, webhook_endpoint_id }: Delivery) =>
  expectStatus(await caller.get<DeliveryDetail>(pathOf(webhook_endpoint_id, id)), 200)

export const untilSome = (caller: Client, id: string, status: Delivery["status"], count = 1) =>
  readUntil(
    () => caller.get<ListOf<Delivery>>(`${endpoints}/${id}/deliveries?status=${status}`),
    ({ data }) => data.length >= count
  )

/** The delivery, once `count` attempts are recorded. */
export const untilAttempts = (caller: Client, { id, webhook_endpoint_id }: Delivery, count: number) =>
  readUntil(
    () => caller.get<DeliveryDetail>(pathOf(webhook_endpoint_id, id)),
    ({ attempt_count }) => attempt_count >= count
  )

/** Whether the secret signed these bytes, by service-api 6.3. */
export const isSignedBy = (signature: string, body: string, secret: string) => {
  const [, time = ""] = /^t=(\d+)/.exec(signature) ?? []
  return signature.includes(`v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`)
}
