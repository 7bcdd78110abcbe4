/** SERVING_COMMAND as words, without a shell. Pure. */

const word = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g

const unquoted = (text: string): string => text.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two)

/** At white space; quotes group, and go. */
export const words = (command: string): ReadonlyArray<string> => (command.match(word) ?? []).map(unquoted)

export type Values = Readonly<Record<"artifact" | "base" | "port" | "host" | "model" | "api_key", string>>

/** Whether the command serves a base model, and loads adapters into it. */
export const takesBase = (command: string): boolean => command.includes("{base}")

/** `{port}` and the like become their values; other braces stay. */
export const fillCommand = (command: string, values: Values): ReadonlyArray<string> =>
  words(command).map((one) =>
    one.replaceAll(/\{(artifact|base|port|host|model|api_key)\}/g, (_, name: keyof Values) => values[name])
  )
