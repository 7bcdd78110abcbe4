/** `limbeck NOUN VERB`, made of the table of nouns, and `limbeck logs tail`. */
import { filters } from "@limbeck/client/operations"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Acting from "../remote/nouns/Acting.ts"
import { WatchLimits } from "../remote/nouns/Limits.ts"
import * as Listing from "../remote/nouns/Listing.ts"
import { type Noun, nounTable, type Verb } from "../remote/nouns/NounTable.ts"
import * as Tail from "../remote/nouns/Tail.ts"
import type { Watching } from "../remote/nouns/Watching.ts"
import { stopSignal } from "../remote/Remote.ts"
import * as Terminal from "../terminal/Terminal.ts"
import { asking, ending } from "./Command.ts"

/** The filters of a list; a mistyped one would list what the person did not mean. */
const whereOf = (names: ReadonlyArray<string>) =>
  Flag.KeyValuePair("where").pipe(
    Flag.withDescription(
      names.length === 0 ? "No filters" : `Filters as name=value, may be repeated: ${names.join(", ")}`
    ),
    Flag.filter(
      (where) => Object.keys(where).every((name) => names.includes(name)),
      (where) => {
        const wrong = Object.keys(where).filter((name) => !names.includes(name))
        return `--where has no filter ${wrong.join(", ")}; there are: ${names.join(", ") || "none"}`
      }
    ),
    Flag.withDefault<Readonly<Record<string, string>>>({})
  )
const limit = Flag.Int("limit").pipe(
  Flag.withDescription(`How many of the newest; ${WatchLimits.listed} by default`),
  Flag.withDefault(WatchLimits.listed)
)
const watch = Flag.Boolean("watch").pipe(
  Flag.withDescription("Show changes until it is stopped"),
  Flag.withDefault(false)
)
const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Needed: what it removes cannot be brought back"),
  Flag.withDefault(false)
)

const watching = (isWatched: boolean): Watching | undefined =>
  isWatched ? { signal: stopSignal(), everyMillis: WatchLimits.pollMillis } : undefined

/** `webhook_endpoint_id` as people say it: `endpoint`. */
const wordOf = (id: string): string => id.replace(/_id$/, "").replace(/^(?:webhook|dataset|student)_(?!id)/, "")

/** The ids of a path, in its order. The last may be `-` where standard input is no body. */
const idsOf = (names: ReadonlyArray<string>, mayBeMany: boolean) =>
  names.map((name, place) => {
    const isLast = place === names.length - 1
    const many = isLast && mayBeMany ? "; - reads ids from standard input, one in each line, or JSON values" : ""
    return Argument.String(wordOf(name)).pipe(Argument.withDescription(`The id of the ${wordOf(name)}${many}`))
  })

const listOf = (noun: Noun) =>
  Command.make(
    "list",
    { ids: idsOf(Acting.idsOf(noun.list), false), where: whereOf(filters[noun.list]), limit, watch },
    ({ watch, ...options }) => asking(Listing.list(noun, options, watching(watch)))
  ).pipe(Command.withDescription("Show the newest; columns with tabs between them where the output is no terminal"))

const showOf = (noun: Noun) =>
  Command.make("show", { ids: idsOf(Acting.idsOf(noun.show), true), watch }, ({ ids, watch }) =>
    asking(Acting.show(noun, ids, watching(watch)))
  ).pipe(Command.withDescription("Show all fields of one"))

const usageCode = 2

const body = Argument.String("body").pipe(
  Argument.withDescription("A file with the JSON body of the request, as docs/api.md has it; - is standard input")
)

const unconfirmed = ending(async () => {
  Terminal.failure({ code: "usage", lines: ["--yes is needed: what it removes cannot be brought back"] })
  return usageCode
})

const verbOf = (name: string, verb: Verb) => {
  const about = Command.withDescription(verb.about)
  const ids = idsOf(Acting.idsOf(verb.operation), verb.hasBody !== true)
  if (verb.hasBody === true) {
    return about(Command.make(name, { ids, body }, (given) => asking(Acting.act({ ...given, name, verb }))))
  }
  const acting = (ids: ReadonlyArray<string>) => asking(Acting.act({ name, verb, ids, body: undefined }))
  return verb.isFinal === true
    ? about(Command.make(name, { ids, yes }, ({ ids, yes }) => (yes ? acting(ids) : unconfirmed)))
    : about(Command.make(name, { ids }, ({ ids }) => acting(ids)))
}

const commandOf = (name: string, noun: Noun) =>
  Command.make(name).pipe(
    Command.withDescription(noun.about),
    Command.withSubcommands([
      listOf(noun),
      showOf(noun),
      ...Object.entries(noun.verbs).map(([word, verb]) => verbOf(word, verb))
    ])
  )

export const nouns = Object.entries(nounTable).map(([name, noun]) => commandOf(name, noun))

const last = Flag.Int("last").pipe(
  Flag.withDescription("How many earlier calls to show first; 10 by default"),
  Flag.withDefault(10)
)

const tail = Command.make("tail", { where: whereOf(filters.listCapturedCalls), last }, (options) =>
  asking(Tail.tail(options, { signal: stopSignal(), everyMillis: WatchLimits.pollMillis }))
).pipe(Command.withDescription("Show captured calls as they come, until it is stopped"))

export const logs = Command.make("logs").pipe(
  Command.withDescription("Captured calls as they come"),
  Command.withSubcommands([tail])
)
