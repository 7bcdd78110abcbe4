/** Settings as rows of a table: default, unit, meaning, rule, and the environment variable that a program reads. */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { Notation } from "./Notation.ts"

/** Returns what a wrong value must be, as a sentence without its subject; null for a right value. */
export type Rule<A> = (value: A) => string | null

export const must =
  <A>(isRight: (value: A) => boolean, rule: string): Rule<A> =>
  (value) =>
    isRight(value) ? null : rule

/** An environment variable: its row in the table of a program's settings. */
interface Variable<A> {
  readonly name: string
  readonly notation: Notation<A>
  /** Markdown for the documentation; so are `unit` and `shown`. */
  readonly meaning: string
  readonly unit?: string
  /** The default in words, for a default that is computed at the start. */
  readonly shown?: string
  /** Programs that a server starts never inherit a secret. */
  readonly isSecret?: boolean
}

/** A variable that no library option stands beside. */
export interface ProgramSetting<A> extends Variable<A> {
  readonly initial: A
}

/** An option of the library, which a program may read from a variable too. */
export interface Setting<A> {
  readonly initial: A
  readonly rule: Rule<A>
  readonly meaning: string
  readonly unit?: string
  readonly shown?: string
  readonly variable?: Variable<A>
}

export const setting = <A>(row: Setting<A>): Setting<A> => row

export const programSetting = <A>(row: ProgramSetting<A>): ProgramSetting<A> => row

/** A row for each member of `Values`. */
export type SettingTable<Values> = { readonly [Name in keyof Values]: Setting<Values[Name]> }
export type ProgramTable<Values> = { readonly [Name in keyof Values]: ProgramSetting<Values[Name]> }

/** The default of each setting. */
export const initialsOf = <Values extends object>(table: SettingTable<Values>): Values =>
  // `map` has no type for a result that differs from member to member.
  Record.map(table as Readonly<Record<string, Setting<unknown>>>, ({ initial }) => initial) as Values

/** Fails with one sentence that begins with the name of the variable. An absent variable has the default. */
const configOf = <A>({ initial, name, notation }: ProgramSetting<A>): Config.Config<A> =>
  Config.String(name).pipe(
    Config.mapEffect((text) => {
      const value = notation.read(text)
      return Result.isSuccess(value)
        ? Effect.succeed(value.success)
        : Effect.fail(new Config.ConfigError(new ConfigProvider.SourceError({ message: `${name}: ${value.failure}` })))
    }),
    Config.withDefault(initial)
  )

/** The values of all rows, or the sentence of the first row whose text is wrong. An empty text counts as absent. */
export const valuesOf = <Values extends object>(
  table: ProgramTable<Values>,
  environment: Readonly<Record<string, string | undefined>>
): Result.Result<Values, string> => {
  // As above: `Values` has the members' types.
  const configs = Record.map(table as Readonly<Record<string, ProgramSetting<unknown>>>, configOf)
  const config = Config.all(configs) as Config.Config<unknown> as Config.Config<Values>
  const parsed = Effect.result(config.parse(ConfigProvider.fromUnknown(environment)))
  return Result.mapError(Effect.runSync(parsed), ({ cause }) => cause.message)
}
