/**
 * Writes data/tickets.jsonl and data/later.jsonl: made-up support tickets, always the same. Like real tickets, some fit
 * either of two desks, some have a wrong label, many have typing errors, and a few are duplicates. The later ones are all
 * new.
 */
import { writeFileSync } from "node:fs"

const labels = ["account", "billing", "bug", "feature_request", "shipping"] as const
type Label = (typeof labels)[number]

const distinctTickets = 300
const laterTickets = 120
const repeatedTickets = 12
const wrongLabelShare = 0.04
const typingErrorShare = 0.3

/** mulberry32: small, and the same on every machine. */
const luckOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const luck = luckOf(20_261_120)
const below = (bound: number): number => Math.floor(luck() * bound)
const happens = (share: number): boolean => luck() < share
const oneOf = <A>(items: ReadonlyArray<A>): A => {
  const item = items[below(items.length)]
  if (item === undefined) throw new Error("There is nothing to choose from")
  return item
}

const openers = [
  "",
  "",
  "",
  "Hi, ",
  "Hello there. ",
  "Good morning, ",
  "Dear team, ",
  "Second time I write: ",
  "Quick question: "
]
const closers = [
  "",
  "",
  "",
  " Thanks!",
  " Please help.",
  " I need this before the weekend.",
  " Sent from my phone",
  " Who can I talk to?",
  " Otherwise I like your product.",
  " This is getting urgent."
]

const slots: Readonly<Record<string, () => string>> = {
  order: () => `#${10_000 + below(90_000)}`,
  amount: () => `${5 + below(240)}.${oneOf(["00", "50", "90", "99"])}`,
  month: () => oneOf(["January", "March", "May", "August", "October", "November"]),
  days: () => oneOf(["three days", "five days", "two weeks", "a month", "eleven days"]),
  plan: () => oneOf(["Basic", "Team", "Pro", "Student"]),
  device: () => oneOf(["my old tablet", "Firefox", "the Android app", "my iPad", "Safari", "Windows"]),
  screen: () =>
    oneOf(["the dashboard", "the export page", "the calendar", "search", "the settings page", "the report page"]),
  thing: () => oneOf(["lamp", "keyboard", "blue jacket", "water bottle", "notebook set", "desk stand"]),
  place: () => oneOf(["Lisbon", "Oslo", "my office", "a neighbour", "the wrong street", "Graz"])
}

const plain: Readonly<Record<Label, ReadonlyArray<string>>> = {
  billing: [
    "I was charged {amount} twice in {month}.",
    "The invoice for {month} says {amount} but my contract says something else.",
    "Please send me a receipt for order {order} with our tax number on it.",
    "My card was declined although there is money on it, the amount was {amount}.",
    "You raised the price of the {plan} plan without telling anybody.",
    "I would like to pay the {plan} plan yearly instead of monthly."
  ],
  account: [
    "I forgot my password and the mail to reset it never comes.",
    "Please change the mail address of my login, the old one is gone since {month}.",
    "My colleague left {days} ago, how do I give her seat to somebody else?",
    "The code for the second factor is refused on {device}.",
    "Please delete my profile and everything you know about me.",
    "I have two logins and want to merge them into one {plan} login."
  ],
  bug: [
    "{screen} stays white on {device} since the last update.",
    "When I click save on {screen} I get error 500.",
    "{device} crashes as soon as I open {screen}.",
    "The numbers on {screen} are wrong since {month}, they count everything double.",
    "Uploading a file of the size I always use stops at 99 % on {device}.",
    "Every date on {screen} is one day off."
  ],
  feature_request: [
    "It would be great if {screen} had a dark mode.",
    "Could you add a shortcut that opens {screen}?",
    "We miss a way to share {screen} with people outside of the team.",
    "Please support {device} for offline work.",
    "I wish I could sort {screen} by date.",
    "Any plans for an interface to fetch {screen} by program?"
  ],
  shipping: [
    "Order {order} should have been here {days} ago.",
    "The parcel with the {thing} was left with {place}.",
    "The {thing} arrived broken, the box was wet.",
    "Can I still change the address of order {order}? I moved to {place}.",
    "I got a {thing} but I ordered something else, order {order}.",
    "The tracking page of order {order} has said the same for {days}."
  ]
}

/** Tickets that two people would sort in two ways. */
const eitherOr: ReadonlyArray<readonly [Label, Label, string]> = [
  ["billing", "shipping", "The {thing} never came and I want my {amount} back."],
  ["billing", "shipping", "Why do I pay {amount} for delivery to {place}?"],
  ["billing", "account", "I cannot log in since I paid for the {plan} plan."],
  ["billing", "account", "Please close my {plan} plan, I was billed again in {month}."],
  ["bug", "account", "{device} logs me out every time I open {screen}."],
  ["bug", "feature_request", "{screen} takes {days} to load, can you make it faster?"],
  ["bug", "feature_request", "There is no way to undo on {screen}, I lost my work."],
  ["bug", "billing", "The pay button does nothing on {device}."],
  ["shipping", "feature_request", "Could you show on {screen} where order {order} is?"]
]

const fill = (template: string): string => template.replace(/\{(\w+)\}/g, (_, name: string) => slots[name]?.() ?? name)

/** Two letters swapped, everything in small letters, or a sign too many: as people type on the way home. */
const mistype = (text: string): string => {
  const at = 1 + below(text.length - 3)
  return oneOf([
    () => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.toLowerCase(),
    () => text.replace(/[.?!]?$/, "!!!"),
    () => text.replace(/[.,#]/g, "")
  ])()
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const ticket = (): readonly [Label, string] => {
  const [first, second, template] = oneOf(eitherOr)
  const sorted = oneOf(labels)
  const [label, body] = happens(0.22) ? [oneOf([first, second]), template] : [sorted, oneOf(plain[sorted])]
  const text = `${oneOf(openers)}${capital(fill(body))}${oneOf(closers)}`
  return [happens(wrongLabelShare) ? oneOf(labels) : label, happens(typingErrorShare) ? mistype(text) : text]
}

const system = `Sort the support ticket into one of ${labels.join(", ")}. Answer with that word alone.`

const lineOf = ([completion, content]: readonly [Label, string]): string =>
  JSON.stringify({
    messages: [
      { role: "system", content: system },
      { role: "user", content }
    ],
    completion
  })

const distinct = new Set<string>()
while (distinct.size < distinctTickets) distinct.add(lineOf(ticket()))
const lines = [...distinct]
const share = Math.floor(distinctTickets / repeatedTickets)
for (let start = 0; start < distinctTickets; start += share) {
  const again = oneOf([...distinct].slice(start, start + share))
  lines.splice(below(lines.length), 0, again)
}

const later = new Set<string>()
while (later.size < laterTickets) {
  const made = lineOf(ticket())
  if (!distinct.has(made)) later.add(made)
}

const write = (name: string, rows: Iterable<string>) =>
  writeFileSync(new URL(`../data/${name}.jsonl`, import.meta.url), `${[...rows].join("\n")}\n`)

write("tickets", lines)
write("later", later)
process.stdout.write(`${lines.length} tickets, ${distinct.size} of them distinct; ${later.size} later ones\n`)
