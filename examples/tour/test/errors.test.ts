/** Every typed error of the packages has a message that suffices in a host's log. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { root } from "./Copy.ts"

const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "packages/*/src/*.ts"], {
  cwd: root,
  encoding: "utf8"
}).split("\n")

/** A class of a schema that can be imported and made here, or one whose fields stand in its text. */
const declares =
  /^(?:export class (\w+) extends (?:Fact|Schema\.TaggedError)<|(?:export )?class (\w+) extends (?:Data\.TaggedError|Fact|Schema\.TaggedError)([^}]*)\})/gm

const declared = sources
  .filter((file) => file !== "" && fs.existsSync(path.join(root, file)))
  .flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), "utf8").matchAll(declares)].map(([, exported, other = "", fields]) => ({
      file,
      name: exported ?? other,
      fields
    }))
  )

/** A sample value for each type of field in a fact. */
const valueOf = (ast: SchemaAST.AST): unknown => {
  if (SchemaAST.isString(ast)) return "a fact"
  if (SchemaAST.isNumber(ast)) return 7
  if (SchemaAST.isBoolean(ast)) return true
  if (SchemaAST.isLiteral(ast)) return ast.literal
  if (SchemaAST.isArrays(ast)) return ast.rest.map(valueOf)
  if (SchemaAST.isUnion(ast)) return valueOf(ast.types[0] ?? assert.fail("nothing is in this union"))
  return new Error("the cause")
}

const isFields = (value: unknown): value is Schema.Struct.Fields => typeof value === "object" && value !== null

const exampleOf = (errorClass: unknown): unknown => {
  if (typeof errorClass !== "function" || !("fields" in errorClass) || !isFields(errorClass.fields)) {
    return assert.fail("not an exported class of a schema")
  }
  const { _tag, ...fields } = errorClass.fields
  const facts = Object.entries(fields).map(([name, { ast }]) => [name, valueOf(ast)])
  return Reflect.construct(errorClass, [Object.fromEntries(facts)])
}

describe("the errors of the packages", () => {
  it("are found", () => assert.isAbove(declared.length, 70))

  for (const { fields, file, name } of declared) {
    it(`${name} of ${file} has a message`, async () => {
      if (fields !== undefined) return assert.match(fields, /\bmessage: |Fact</)
      const module: Readonly<Record<string, unknown>> = await import(path.join(root, file))
      const error = exampleOf(module[name])
      assert.instanceOf(error, Error)
      assert.isNotEmpty(error.message)
      if (Object.hasOwn(error, "message")) return
      const { _tag, ...facts } = Object.fromEntries(Object.entries(error))
      for (const fact of Object.values(facts)) {
        assert.include(error.message, fact instanceof Error ? fact.message : String(fact))
      }
    })
  }
})
