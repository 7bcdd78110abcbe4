/** How resources are shown: each state of one once, for it is asked for, listed and published again and again. */
import * as JsonTexts from "../json/JsonTexts.ts"
import type { Partition } from "../partition/Partition.ts"

/** As `render`, whose result is kept for as long as the value is in memory, and its text with it once it was asked for. */
export const once = <A extends object, B extends { readonly livemode: boolean }>(
  render: (partition: Partition, value: A) => B
): ((partition: Partition, value: A) => B) => {
  const rendered = new WeakMap<A, B>()
  return (partition, value) => {
    const known = rendered.get(value)
    if (known !== undefined && known.livemode === partition.livemode) return known
    const resource = JsonTexts.keep(render(partition, value))
    rendered.set(value, resource)
    return resource
  }
}
