/** The events of the tour: walked forward over the API, and each met once, signed, at the receiver. */
import type { Api } from "./Api.ts"
import { claim, claimEqual } from "./Claims.ts"
import { isAuthentic, type Receiver } from "./Receiver.ts"
import { step } from "./Screen.ts"
import type { Delivery, Endpoint, Event, Page } from "./Wire.ts"

const runTypes = (stages: number): ReadonlyArray<string> => [
  "distill.run.created",
  "distill.run.started",
  ...Array.from({ length: stages }, () => "distill.run.stage_succeeded"),
  "distill.report.ready",
  "distill.run.succeeded"
]

/** The events of the tour's version, rehearsal, live run and deployment, oldest first. */
const expectedTypes = ["distill.dataset_version.ready", ...runTypes(3), ...runTypes(4), "distill.deployment.ready"]

export const subscribe = async (api: Api, receiver: Receiver): Promise<Endpoint> => {
  const body = { url: receiver.url, description: "The tour", enabled_events: ["distill.*"] }
  const endpoint = await api.create<Endpoint>("/v1/webhook_endpoints", body, "tour-endpoint")
  claimEqual(endpoint.status, "enabled", "The status of the endpoint")
  claim(/^whsec_[0-9A-Za-z]{43}$/.test(endpoint.secret), "The secret ought to be whsec_ and 43 characters")
  receiver.trust(endpoint.secret)
  return endpoint
}

/**
 * Small pages, so that there are some. A forward walk withholds an event while an older transaction is open, so it goes on
 * from its last cursor until it has met the last event.
 */
const walk = async (api: Api): Promise<ReadonlyArray<Event>> => {
  const events: Array<Event> = []
  let cursor = ""
  const next = () => api.get<Page<Event>>(`/v1/events?order=asc&limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`)
  await api.pollUntil(
    "The walk",
    async () => {
      const page = await next()
      events.push(...page.data)
      cursor = page.next_cursor ?? ""
    },
    () => events.at(-1)?.type === expectedTypes.at(-1)
  )
  claim(cursor !== "", "A forward walk ought to have a place to go on from")
  claimEqual((await next()).data, [], "What follows the last event")
  return events
}

const walked = (api: Api): Promise<ReadonlyArray<Event>> =>
  step("Walk the events forward", async () => {
    const events = await walk(api)
    claimEqual(
      events.map(({ type }) => type),
      expectedTypes,
      "The types of the events"
    )
    claimEqual(new Set(events.map(({ id }) => id)).size, events.length, "The number of different events")
    claim(
      events.every(({ livemode }) => livemode),
      "Every event ought to be one of live mode"
    )
    return [events, `${events.length}, from ${events.at(0)?.type} to ${events.at(-1)?.type}`]
  })

/** A verifier must also refuse, or it proves nothing. */
const checkVerifier = (receiver: Receiver, secret: string): void => {
  for (const { raw, signature } of receiver.received.slice(0, 1)) {
    claim(isAuthentic(secret, signature, raw), "The signature ought to verify")
    claim(!isAuthentic(secret, signature, Buffer.concat([raw, Buffer.from(" ")])), "A byte more ought not to verify")
    claim(!isAuthentic(`${secret}x`, signature, raw), "Another secret ought not to verify")
  }
}

const checkReceived = (events: ReadonlyArray<Event>, receiver: Receiver): void => {
  const { received } = receiver
  claimEqual(received.length, events.length, "The number of deliveries that arrived")
  for (const event of events) {
    const here = received.filter(({ eventId }) => eventId === event.id)
    claimEqual(here.length, 1, `The number of times that ${event.id} arrived`)
    for (const { authentic, eventType, raw } of here) {
      claim(authentic, `The delivery of ${event.id} ought to carry a valid signature`)
      claimEqual(eventType, event.type, "Service-Event-Type")
      claimEqual(JSON.parse(raw.toString("utf8")), event, "The body of a delivery")
    }
  }
  const deliveries = new Set(received.map(({ deliveryId }) => deliveryId))
  claimEqual(deliveries.size, events.length, "The number of different deliveries")
}

const delivered = (api: Api, receiver: Receiver, endpoint: Endpoint, events: ReadonlyArray<Event>) =>
  step("Check the webhooks", async (tell) => {
    const path = `/v1/webhook_endpoints/${endpoint.id}/deliveries?limit=100`
    const { data } = await api.pollUntil(
      "Every delivery",
      async () => {
        tell(`${receiver.received.length} of ${events.length} arrived`)
        return api.get<Page<Delivery>>(path)
      },
      (page) => page.data.length >= events.length && page.data.every(({ status }) => status !== "pending")
    )
    checkVerifier(receiver, endpoint.secret)
    checkReceived(events, receiver)
    claim(
      data.every(({ attempt_count, status }) => status === "succeeded" && attempt_count === 1),
      "Every delivery ought to have succeeded at its first attempt"
    )
    return [undefined, `${receiver.received.length} arrived, each once, each with a valid signature`]
  })

export const check = async (api: Api, receiver: Receiver, endpoint: Endpoint): Promise<ReadonlyArray<Event>> => {
  const events = await walked(api)
  await delivered(api, receiver, endpoint, events)
  return events
}
