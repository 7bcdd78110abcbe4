/** The types of signed events, by event type. Nothing here exists at run time. */
import type {
  DatasetVersion,
  Deployment,
  Message,
  Pull,
  Report,
  Run,
  Upload,
  WebhookEndpoint
} from "../api/generated/types.ts"

/** A resource whose fields depend on the event type. */
interface SomeResource {
  readonly id: string
  readonly object: string
  readonly [field: string]: unknown
}

/** The resource in each event, in the newest API version. */
export interface EventResources {
  readonly "billing.balance_low": SomeResource
  readonly "distill.dataset_version.failed": DatasetVersion
  readonly "distill.dataset_version.ready": DatasetVersion
  readonly "distill.deployment.drifted": Deployment
  readonly "distill.deployment.failed": Deployment
  readonly "distill.deployment.guarded": Deployment
  readonly "distill.deployment.ready": Deployment
  readonly "distill.deployment.retired": Deployment
  readonly "distill.pull.failed": Pull
  readonly "distill.pull.succeeded": Pull
  readonly "distill.report.ready": Report
  readonly "distill.run.canceled": Run
  readonly "distill.run.created": Run
  readonly "distill.run.failed": Run
  readonly "distill.run.retried": Run
  readonly "distill.run.stage_succeeded": Run
  readonly "distill.run.started": Run
  readonly "distill.run.succeeded": Run
  readonly "distill.upload.failed": Upload
  readonly "distill.upload.succeeded": Upload
  readonly "message.completed": Message
  readonly "webhook.ping": WebhookEndpoint
  readonly "webhook_endpoint.disabled": WebhookEndpoint
}

/** A signed event of one type (service-api 2.7). */
export interface SignedEvent<Type extends string, Resource> {
  /** The same in every delivery of the event: a known id means a repeated delivery. */
  readonly id: string
  readonly object: "event"
  /** The type; it decides which resource `data.object` is. */
  readonly type: Type
  /** When it happened: ISO 8601, UTC. */
  readonly created_at: string
  readonly workspace_id: string
  /** Whether it belongs to live mode. */
  readonly livemode: boolean
  /** The dated API version in which the resource is rendered: that of the endpoint. */
  readonly api_version: string
  /** The resource as it was then; its GET tells how it is now. */
  readonly data: { readonly object: Resource }
}

/** Own event types of a host, with the resource of each. */
export type OwnResources = Readonly<Record<string, object>>

type EventsOf<Resources> = { [Type in keyof Resources & string]: SignedEvent<Type, Resources[Type]> }[keyof Resources &
  string]

/**
 * A signed event: a union by `type`, which knows the resource of each type.
 *
 * @example
 * if (event.type === "distill.run.succeeded") console.log(event.data.object.totals.cost_usd)
 * const receive = receiver<{ "order.paid": { id: string } }>({ secret, handler: ({ event }) => {} }) // with types of your own
 */
export type WebhookEvent<Own extends OwnResources = Record<never, never>> = EventsOf<EventResources> | EventsOf<Own>
