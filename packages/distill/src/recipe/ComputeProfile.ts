/** What a run is computed on, and its price (contract 14.12, 14.17). */
export interface ComputeProfile {
  readonly id: string
  readonly machine: string
  /** Null: no accelerator; then the price is per machine second. */
  readonly gpu: string | null
  readonly spot: boolean
  /** Whole micro-dollars. */
  readonly microsPerGpuSecond: number
  /** Peak of dense bf16 arithmetic, in FLOP/s; without an accelerator, of one core's f64 arithmetic. */
  readonly peakFlops: number
  /** Bytes per second between the weights and the arithmetic. */
  readonly memoryBandwidth: number
  /** The resources of a stage on a cluster. */
  readonly cluster?: ClusterShare
}

/** The executor chooses absent members. */
interface ClusterShare {
  readonly cpus?: number
  readonly gpus?: number
  readonly memoryBytes?: number
  /** Custom resources by the cluster's names, such as `accelerator_type:L4`. */
  readonly resources?: Readonly<Record<string, number>>
}

/** Priced like a rented machine with eight cores; a training uses one core. */
export const local: ComputeProfile = {
  id: "local",
  machine: "this-machine",
  gpu: null,
  spot: false,
  microsPerGpuSecond: 100,
  peakFlops: 2e9,
  memoryBandwidth: 1e10
}

/** Data sheets: L4 121 TFLOP/s and 300 GB/s; A100 312 and 2,039; H100 SXM 989 and 3,350. Prices are settings. */
export const standard: ReadonlyArray<ComputeProfile> = [
  local,
  {
    id: "l4",
    machine: "1xL4",
    gpu: "L4",
    spot: false,
    microsPerGpuSecond: 222,
    peakFlops: 121e12,
    memoryBandwidth: 300e9
  },
  {
    id: "a100",
    machine: "1xA100-80GB",
    gpu: "A100-80GB",
    spot: false,
    microsPerGpuSecond: 611,
    peakFlops: 312e12,
    memoryBandwidth: 2039e9
  },
  {
    id: "h100",
    machine: "1xH100",
    gpu: "H100",
    spot: false,
    microsPerGpuSecond: 1_100,
    peakFlops: 989e12,
    memoryBandwidth: 3350e9
  }
]
