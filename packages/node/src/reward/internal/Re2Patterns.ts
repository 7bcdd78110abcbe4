/**
 * Patterns by RE2, whose searches take linear time; a time limit backs this up. Runs in the thread of `CheckingThread`, off
 * the event loop.
 */
import type { PatternVerdict } from "@limbeck/distill/reward/Patterns"
import * as Result from "effect/Result"
import { RE2JS } from "re2js"
import { runWithin } from "./TimeLimit.ts"

/** A pattern of 1,000 characters compiles in some 100 ms at worst. */
const compileMillis = 500
/** For a completion of a megabyte and a pattern of some hundred states. */
const searchMillis = 1_000
/** States times characters that cannot take longer than a few milliseconds, so that the limit is not worth its price. */
const cheap = 200_000

/** Also accepts JavaScript escapes, such as `\u00e9`. */
export const compileRe2 = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern))

const unsupported = "patterns are in RE2's syntax, without back-references and look-around"

const faultOf = (error: unknown): string => {
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "it does not compile"
  return `This pattern cannot be used: ${reason} (${unsupported})`
}

const tryCompile = (pattern: string): Result.Result<RE2JS, string> => {
  try {
    const compiled = runWithin(compileMillis, () => compileRe2(pattern))
    return compiled === undefined
      ? Result.fail("This pattern takes too long to compile")
      : Result.succeed(compiled.value)
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

export type Search = (text: string) => PatternVerdict

const searchOf = (pattern: string, first: RE2JS): Search => {
  let engine: RE2JS | undefined = first
  return (text) => {
    const using = engine ?? compileRe2(pattern)
    engine = using
    if (using.programSize() * text.length < cheap) return using.test(text) ? "found" : "absent"
    const found = runWithin(searchMillis, () => using.test(text))
    // What was broken off may have left its caches in any state.
    if (found === undefined) engine = undefined
    return found === undefined ? "too_costly" : found.value ? "found" : "absent"
  }
}

/** The failure says why it is refused. */
export const compile = (pattern: string): Result.Result<Search, string> =>
  Result.map(tryCompile(pattern), (engine) => searchOf(pattern, engine))
