/** What a stage asks of a Ray cluster, by the compute profile of its run. */
import type { ComputeProfile } from "@limbeck/distill/recipe/ComputeProfile"
import type { Run } from "@limbeck/distill/run/Run"
import type { RayResources } from "./internal/RayJobs.ts"

/** One processor, and nothing else. */
export const none: RayResources = { num_cpus: 1, num_gpus: 0, memory: 0, resources: {} }

/** `2xL4` has two accelerators; one that does not say has one. */
const gpusOf = ({ gpu, machine }: Pick<Run["compute"], "gpu" | "machine">): number =>
  gpu === null ? 0 : Number(/^(\d{1,3})x/.exec(machine ?? "")?.[1] ?? 1)

/** The resources of a job by its profile, with defaults: one processor, and all accelerators of the machine. */
export const of =
  (profiles: ReadonlyArray<Pick<ComputeProfile, "id" | "cluster">>) =>
  (compute: Run["compute"]): RayResources => {
    const { cpus, gpus, memoryBytes, resources } = profiles.find(({ id }) => id === compute.profile)?.cluster ?? {}
    return {
      num_cpus: cpus ?? none.num_cpus,
      num_gpus: gpus ?? gpusOf(compute),
      memory: memoryBytes ?? none.memory,
      resources: resources ?? none.resources
    }
  }
