/** How resources are shown: each state of one once, for it is asked for, listed and published again and again. */
import * as JsonTexts from "../json/JsonTexts.ts"
import type { Partition } from "../partition/Partition.ts"

/** Memoizes `render` for the lifetime of the value, and the JSON text of the result after its first use. */
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
