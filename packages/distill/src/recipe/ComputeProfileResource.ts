/** A compute profile as the API shows it (contract 14.12). */
import { toUsd } from "@limbeck/core/money/Money"
import * as Rendered from "@limbeck/core/resources/Rendered"
import * as Schema from "effect/Schema"
import type { ComputeProfile } from "./ComputeProfile.ts"
import type { ProfileCalibration } from "./internal/ProfileCalibration.ts"

export const ComputeProfileResource = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("compute_profile"),
  machine: Schema.String,
  gpu: Schema.NullOr(Schema.String),
  spot: Schema.Boolean,
  price_per_gpu_second: Schema.Finite,
  calibration: Schema.NullOr(Schema.JsonObject)
}).annotate({ identifier: "ComputeProfile" })
export type ComputeProfileResource = typeof ComputeProfileResource.Type

export const render = Rendered.by(
  ComputeProfileResource,
  (profile: ComputeProfile, calibration: ProfileCalibration | null) => ({
    id: profile.id,
    object: "compute_profile",
    machine: profile.machine,
    gpu: profile.gpu,
    spot: profile.spot,
    price_per_gpu_second: toUsd(profile.microsPerGpuSecond),
    /** Ratio of actual to estimated figures of finished live runs; null before the first. */
    calibration: calibration === null ? null : { ...calibration }
  })
)
