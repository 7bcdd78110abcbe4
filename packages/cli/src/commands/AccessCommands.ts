/** Commands for tokens, sources and webhooks of a workspace, on a running server. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Listen from "../remote/Listen.ts"
import * as Prices from "../remote/Prices.ts"
import { stopSignal } from "../remote/Remote.ts"
import * as Resend from "../remote/Resend.ts"
import * as Sources from "../remote/Sources.ts"
import * as Tokens from "../remote/Tokens.ts"
import * as Trigger from "../remote/Trigger.ts"
import { asking, listOf } from "./Command.ts"

const tokenId = Argument.String("id").pipe(Argument.withDescription("The id of the token: tok_…"))

const newToken = {
  name: Flag.String("name").pipe(Flag.withDescription("What people call it")),
  scopes: Flag.String("scopes").pipe(
    Flag.withDescription("With commas between them, such as proxy:write; or full_access")
  ),
  environment: Flag.Literals("environment", ["test", "live"]).pipe(
    Flag.withDescription("That of LIMBECK_TOKEN by default"),
    Flag.optional
  ),
  expiresAt: Flag.String("expires-at").pipe(
    Flag.withDescription("When it ends, such as 2027-01-31T00:00:00.000Z; never by default"),
    Flag.optional
  ),
  models: Flag.String("models").pipe(
    Flag.withDescription("The models of its proxy calls, with commas between them, such as gpt-*; any by default"),
    Flag.withDefault("")
  ),
  requestsPerMinute: Flag.Int("requests-per-minute").pipe(
    Flag.withDescription("How many requests to the proxy it may make a minute; no limit by default"),
    Flag.optional
  ),
  maxCostUsdPerDay: Flag.Finite("max-cost-usd-per-day").pipe(
    Flag.withDescription("What its proxy calls of a UTC day may cost, in US dollars; no limit by default"),
    Flag.optional
  )
}

const createToken = Command.make("create", newToken, ({ environment, expiresAt, name, scopes, ...limits }) =>
  asking(
    Tokens.create({
      name,
      scopes: listOf(scopes),
      environment: Option.getOrUndefined(environment),
      expiresAt: Option.getOrUndefined(expiresAt),
      limits: {
        models: listOf(limits.models),
        requestsPerMinute: Option.getOrUndefined(limits.requestsPerMinute),
        maxCostUsdPerDay: Option.getOrUndefined(limits.maxCostUsdPerDay)
      }
    })
  )
).pipe(Command.withDescription("Make a token, and show it this once"))

const listTokens = Command.make("list", {}, () => asking(Tokens.list)).pipe(
  Command.withDescription("Show id, mode, status, scopes and name of each")
)

const revokeToken = Command.make("revoke", { id: tokenId }, ({ id }) => asking(Tokens.revoke(id))).pipe(
  Command.withDescription("End a token at once")
)

const overlap = Flag.Int("overlap-seconds").pipe(
  Flag.withDescription("How long the old one stays good, at most 7 days; not at all by default"),
  Flag.optional
)

const rotateToken = Command.make("rotate", { id: tokenId, overlap }, ({ id, overlap }) =>
  asking(Tokens.rotate(id, Option.getOrUndefined(overlap)))
).pipe(Command.withDescription("Make another in place of a token, and show it this once"))

export const token = Command.make("token").pipe(
  Command.withDescription("Tokens of the workspace"),
  Command.withSubcommands([createToken, listTokens, revokeToken, rotateToken])
)

const newSource = {
  name: Argument.String("name").pipe(Argument.withDescription("What calls and fallbacks name it by, such as openai")),
  baseUrl: Flag.String("base-url").pipe(Flag.withDescription("With /v1, such as https://api.openai.com/v1")),
  keyFrom: Flag.String("key-from").pipe(
    Flag.withDescription("The variable of the environment that holds the key, such as OPENAI_API_KEY"),
    Flag.optional
  ),
  models: Flag.String("models").pipe(
    Flag.withDescription("Models it has, with commas between them"),
    Flag.withDefault("")
  ),
  isDefault: Flag.Boolean("default").pipe(
    Flag.withDescription("Whether it answers calls that name no source"),
    Flag.withDefault(false)
  )
}

const addSource = Command.make("add", newSource, ({ keyFrom, models, ...source }) =>
  asking(Sources.add(process.env, { ...source, keyFrom: Option.getOrUndefined(keyFrom), models: listOf(models) }))
).pipe(Command.withDescription("Name a provider of models"))

const listSources = Command.make("list", {}, () => asking(Sources.list)).pipe(
  Command.withDescription("Show id, name and URL of each")
)

const sourceName = Argument.String("source").pipe(Argument.withDescription("Its name, or its id: src_…"))

const verifySource = Command.make("verify", { source: sourceName }, ({ source }) =>
  asking(Sources.verify(source))
).pipe(Command.withDescription("Ask the provider whether its URL and key are good"))

export const source = Command.make("source").pipe(
  Command.withDescription("Providers of models"),
  Command.withSubcommands([addSource, listSources, verifySource])
)

export const prices = Command.make("prices", {}, () => asking(Prices.list)).pipe(
  Command.withDescription("Show what each model of the sources costs, and where each price comes from")
)

const listening = {
  forwardTo: Flag.String("forward-to").pipe(Flag.withDescription("The URL of your receiver")),
  types: Flag.String("types").pipe(
    Flag.withDescription("Types of events, with commas between them; all by default"),
    Flag.withDefault("")
  )
}

const listen = Command.make("listen", listening, ({ forwardTo, types }) =>
  asking(Listen.listen({ forwardTo, types: listOf(types), signal: stopSignal() }))
).pipe(Command.withDescription("Show deliveries and pass them on to a receiver, until it is stopped; in test mode"))

const resending = {
  endpoint: Argument.String("endpoint").pipe(Argument.withDescription("The id of the endpoint: wh_…")),
  delivery: Argument.String("delivery").pipe(Argument.withDescription("The id of one delivery"), Argument.optional),
  since: Flag.String("since").pipe(
    Flag.withDescription("Instead of one: all that did not arrive since this time, such as 2026-11-20T10:00:00.000Z"),
    Flag.optional
  )
}

const resend = Command.make("resend", resending, ({ delivery, endpoint, since }) =>
  asking(Resend.resend({ endpoint, delivery: Option.getOrUndefined(delivery), since: Option.getOrUndefined(since) }))
).pipe(Command.withDescription("Send a dead-lettered delivery again, or all that did not arrive since a time"))

const triggering = {
  type: Argument.String("type").pipe(Argument.withDescription("The type of the event, such as distill.run.succeeded")),
  endpoint: Flag.String("endpoint").pipe(
    Flag.withDescription("The id of one endpoint, wh_…; by default all enabled ones that subscribe to the type"),
    Flag.optional
  )
}

export const trigger = Command.make("trigger", triggering, ({ endpoint, type }) =>
  asking(Trigger.trigger({ type, endpoint: Option.getOrUndefined(endpoint) }))
).pipe(Command.withDescription("Send a test event of a type to endpoints, and show the responses; in test mode"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks"),
  Command.withSubcommands([listen, resend])
)
