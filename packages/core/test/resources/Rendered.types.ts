/**
 * What the compiler refuses of a renderer. Each `@ts-expect-error` is a body that the schema of its resource does not
 * describe: `npm run check` fails when one of them compiles. Nothing here runs.
 */
import * as Schema from "effect/Schema"
import * as Rendered from "../../src/resources/Rendered.ts"

const Item = Schema.Struct({ seq: Schema.Int, metrics: Schema.Record(Schema.String, Schema.Finite) })
const Thing = Schema.Struct({
  object: Schema.Literal("thing"),
  name: Schema.NullOr(Schema.String),
  secret: Schema.optionalKey(Schema.String),
  size: Schema.NullOr(Schema.Struct({ bytes: Schema.Int })),
  items: Schema.Array(Item),
  sent: Schema.JsonObject,
  from: Schema.Union([Schema.Struct({ upload: Schema.String }), Schema.Struct({ pull: Schema.String })])
})

const item = { seq: 1, metrics: { loss: 1 } }
const thing = {
  object: "thing",
  name: "a",
  size: { bytes: 1 },
  items: [item],
  sent: { any: ["member"] },
  from: { upload: "upl_1" }
} as const
const { size, ...sizeless } = thing

/** An optional member may be there. */
Rendered.by(Thing, () => thing)
Rendered.by(Thing, () => ({ ...thing, secret: "s" }))

/** A body without a member of its schema, or with a member that the schema lacks (P1000). */
// @ts-expect-error: `size` is missing
Rendered.by(Thing, () => sizeless)

// @ts-expect-error: `bytes` is missing
Rendered.by(Thing, () => ({ ...sizeless, size: {} }))

// @ts-expect-error: the schema lacks `age`
Rendered.by(Thing, () => ({ ...thing, age: 1 }))

// @ts-expect-error: the schema lacks `unit`, which comes from elsewhere
Rendered.by(Thing, (from: { bytes: number; unit: string }) => ({ ...thing, size: from }))

// @ts-expect-error: the schema lacks `lost`
Rendered.by(Thing, () => ({ ...thing, items: [{ ...item, lost: 1 }] }))

// @ts-expect-error: no member of the union has `limit`
Rendered.by(Thing, () => ({ ...thing, from: { pull: "pull_1", limit: 3 } }))

// @ts-expect-error: `object` is "thing"
Rendered.by(Thing, () => ({ ...thing, object: "other" }))
