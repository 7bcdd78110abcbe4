/** A compute profile as the API shows it (contract 14.12). */
import { toUsd } from "@limbeck/core/money/Money"
import type { ComputeProfile } from "../ComputeProfile.ts"
import type { ProfileCalibration } from "./ProfileCalibration.ts"

export const render = (profile: ComputeProfile, calibration: ProfileCalibration | null) => ({
  id: profile.id,
  object: "compute_profile" as const,
  machine: profile.machine,
  gpu: profile.gpu,
  spot: profile.spot,
  price_per_gpu_second: toUsd(profile.microsPerGpuSecond),
  /** Ratio of actual to estimated figures of finished live runs; null before the first. */
  calibration: calibration === null ? null : { ...calibration }
})
export type ComputeProfileResource = ReturnType<typeof render>
