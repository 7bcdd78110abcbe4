// @effect-diagnostics globalDate:off
/** Reads a resource again and again until it has ended, at growing distances (service-api 7.4). */
import { WaitTimeoutError } from "./Errors.ts"
import { type RequestOptions, sleep } from "./Transport.ts"

export interface WaitOptions<A> extends RequestOptions {
  /** Gives up after so long, in milliseconds, with a `WaitTimeoutError`; the resource goes on. By default it waits for ever. */
  readonly waitMillis?: number
  /** Called at each read of the resource. */
  readonly onRead?: (resource: A) => void
}

const [firstMillis, mostMillis, growth] = [200, 5_000, 1.5]

/** As the resource ended. */
export const waitForEnd = async <A extends { readonly status: string }>(
  read: () => Promise<A>,
  ends: ReadonlyArray<A["status"]>,
  { onRead = () => {}, signal, waitMillis = Number.POSITIVE_INFINITY }: WaitOptions<A>
): Promise<A> => {
  const giveUpAt = performance.now() + waitMillis
  for (let pause = firstMillis; ; pause = Math.min(mostMillis, pause * growth)) {
    const resource = await read()
    onRead(resource)
    if (ends.includes(resource.status)) return resource
    const left = giveUpAt - performance.now()
    if (left <= 0) throw new WaitTimeoutError(resource)
    await sleep(Math.min(pause, left), signal)
  }
}
