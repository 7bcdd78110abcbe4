/** The renderers of resources: typed by the schema of the resource on the wire, and called once for each state of a resource. */
import type * as Schema from "effect/Schema"
import * as JsonTexts from "../json/JsonTexts.ts"
import type { Partition } from "../partition/Partition.ts"

type Objects<Wire> = Exclude<Extract<Wire, object>, ReadonlyArray<unknown>>
type NamesOf<Wire> = Wire extends unknown ? keyof Wire : never
type MemberOf<Wire, Name> = Wire extends unknown ? (Name extends keyof Wire ? Wire[Name] : never) : never

/** The names of members, at any depth, that a rendered value has and its schema lacks. A schema of any JSON lacks none. */
type Excess<Rendered, Wire> = Schema.Json extends Wire
  ? never
  : Rendered extends ReadonlyArray<infer Item>
    ? Excess<Item, Extract<Wire, ReadonlyArray<unknown>>[number]>
    : Rendered extends object
      ? string extends NamesOf<Objects<Wire>>
        ? never
        : {
            [Name in keyof Rendered]-?: Name extends NamesOf<Objects<Wire>>
              ? Excess<Rendered[Name], MemberOf<Objects<Wire>, Name>>
              : Name
          }[keyof Rendered]
      : never

type WithoutExcess<Names> = [Names] extends [never] ? unknown : { readonly "members that the schema lacks": Names }

/** Types a renderer by its schema. A member that is missing does not compile, nor does one that the schema lacks. */
export const by = <S extends Schema.Top, Args extends ReadonlyArray<unknown>, const Rendered extends S["Type"]>(
  _schema: S,
  render: ((...args: Args) => Rendered) & WithoutExcess<Excess<Rendered, S["Type"]>>
): ((...args: Args) => S["Type"]) => render

/** Memoizes `render` for the lifetime of the value, and the JSON text of the result after its first use. */
export const memoize = <A extends object, B extends { readonly livemode: boolean }>(
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
