/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** Only a dead letter is redelivered. */
export class DeliveryNotDeadLettered extends Fact<DeliveryNotDeadLettered>()("DeliveryNotDeadLettered", {
  id: Schema.String,
  status: Schema.String
}) {}

/** A dead letter that is too old to be redelivered. */
export class DeliveryTooOld extends Fact<DeliveryTooOld>()("DeliveryTooOld", {
  id: Schema.String,
  daysMax: Schema.Int
}) {}

/** Nothing is redelivered to a disabled endpoint. */
export class EndpointDisabled extends Fact<EndpointDisabled>()("EndpointDisabled", {
  id: Schema.String
}) {}

export type WebhookError = DeliveryNotDeadLettered | DeliveryTooOld | EndpointDisabled
