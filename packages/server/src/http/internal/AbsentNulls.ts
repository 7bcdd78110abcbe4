/**
 * `null` for an optional member of a request's body counts as absent, unless the member's schema takes null as a value. Clients in
 * languages without absent members write null for them, and send back resources that show null.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Removes such members from a parsed body, in place. */
export type Removal = (body: unknown) => void

/** Whether the schema accepts null. */
const takesNull = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Null":
    case "Unknown":
    case "Any":
      return true
    case "Union":
      return ast.types.some(takesNull)
    case "Suspend":
      return takesNull(ast.thunk())
    default:
      return false
  }
}

/** Whether the object may match this alternative of a union: every literal member has its value. */
const fits = (alternative: SchemaAST.AST, object: Schema.JsonObject): boolean =>
  alternative._tag === "Objects" &&
  alternative.propertySignatures.every(
    ({ name, type }) => type._tag !== "Literal" || object[String(name)] === type.literal
  )

const inUnion = ({ types }: SchemaAST.Union): Removal | undefined => {
  const alternatives = types.flatMap((type) => {
    const removal = removalOf(type)
    return removal === undefined ? [] : [{ type, removal }]
  })
  if (alternatives.length === 0) return undefined
  return (value) => {
    if (isObject(value)) alternatives.find(({ type }) => fits(type, value))?.removal(value)
  }
}

const inList = ({ rest: [item] }: SchemaAST.Arrays): Removal | undefined => {
  const removal = item === undefined ? undefined : removalOf(item)
  return (
    removal &&
    ((value) => {
      if (Array.isArray(value)) for (const one of value) removal(one)
    })
  )
}

const inObject = ({ propertySignatures }: SchemaAST.Objects): Removal | undefined => {
  const optional = propertySignatures.flatMap(({ name, type }) =>
    SchemaAST.isOptional(type) && !takesNull(type) ? [String(name)] : []
  )
  const nested = propertySignatures.flatMap(({ name, type }) => {
    const removal = removalOf(type)
    return removal === undefined ? [] : [{ name: String(name), removal }]
  })
  if (optional.length === 0 && nested.length === 0) return undefined
  return (value) => {
    if (!isObject(value)) return
    const members: Record<string, unknown> = value
    for (const name of optional) if (members[name] === null) delete members[name]
    for (const { name, removal } of nested) removal(members[name])
  }
}

/** Undefined for a schema without such members. */
const removalOf = (ast: SchemaAST.AST): Removal | undefined => {
  switch (ast._tag) {
    case "Objects":
      return inObject(ast)
    case "Arrays":
      return inList(ast)
    case "Union":
      return inUnion(ast)
    default:
      return undefined
  }
}

const nothing: Removal = () => {}

export const of = (schema: Schema.Top): Removal => removalOf(SchemaAST.toEncoded(schema.ast)) ?? nothing
