/** The rules of a workspace's fields. Pure; a refusal names the field as the API does. */
import * as Result from "effect/Result"
import { type InvalidInput, invalid } from "../../errors/Errors.ts"
import { Limits } from "../../Limits.ts"
import * as Characters from "../../text/Characters.ts"

type Validation = Result.Result<string, InvalidInput>

export const name = (text: string): Validation =>
  text.trim() !== "" && Characters.areAtMost(text, Limits.workspaceNameMax)
    ? Result.succeed(text)
    : Result.fail(invalid("name", `A name has 1 to ${Limits.workspaceNameMax} characters, and not only spaces`))

export const plan = (text: string): Validation =>
  /^[a-z][a-z0-9_]*$/.test(text) && text.length <= Limits.workspacePlanMax
    ? Result.succeed(text)
    : Result.fail(
        invalid(
          "plan",
          `A plan is a lower-case word such as self_hosted, of at most ${Limits.workspacePlanMax} characters`
        )
      )
