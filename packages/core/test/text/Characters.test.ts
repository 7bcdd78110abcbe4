import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Characters from "../../src/text/Characters.ts"

describe("a text's length", () => {
  it("is in characters, of which some take two places in a string", () => {
    for (const character of ["a", "é", "語", "🐟", "\ud800"]) {
      assert.isTrue(Characters.areAtMost(character.repeat(3), 3), character)
      assert.isFalse(Characters.areAtMost(character.repeat(4), 3), character)
      assert.isFalse(Characters.areAtMost(character.repeat(7), 3), character)
    }
    assert.isTrue(Characters.areAtMost("", 0))
  })

  it("is bounded by a schema as JSON Schema bounds it", () => {
    const schema = Schema.String.check(Characters.isMaxCharacters(3))
    assert.isTrue(Schema.is(schema)("🐟🐟🐟"))
    assert.isFalse(Schema.is(schema)("🐟🐟🐟🐟"))
    const document = JSON.stringify(Schema.toJsonSchemaDocument(schema))
    assert.include(document, '"maxLength":3')
  })
})
