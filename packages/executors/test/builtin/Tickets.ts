/**
 * A seeded set of rows like those of a support desk: eight intents of uneven frequency that share much of their words, with
 * typing mistakes, asides from other intents, and labels that are sometimes wrong. Made by nobody but this file.
 */
import { generator } from "@limbeck/executors/builtin/Hashing"

export interface Ticket {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly completion: string
}

interface Intent {
  readonly label: string
  readonly share: number
  readonly phrases: ReadonlyArray<string>
}

const intents: ReadonlyArray<Intent> = [
  {
    label: "billing_question",
    share: 24,
    phrases: [
      "I do not understand the amount on my last invoice",
      "why was I charged {n} euros this month",
      "the invoice shows a fee that I cannot explain",
      "please explain the {thing} line on the bill",
      "my card was charged on the {n}th but the plan starts later",
      "what does the tax line on my invoice mean",
      "the price went up and nobody told me",
      "is the {thing} included in the price of the plan",
      "I need the invoice with our company address on it"
    ]
  },
  {
    label: "refund_request",
    share: 16,
    phrases: [
      "I would like my money back for the {thing}",
      "please refund the {n} euros on my card",
      "I was charged twice and want one of them returned",
      "when do I get the money for the order that I sent back",
      "the {thing} never worked, so please return what I paid",
      "cancel the order and credit my card",
      "I paid for a month that I did not use and want it back",
      "the amount was taken although the order was canceled"
    ]
  },
  {
    label: "delivery_status",
    share: 18,
    phrases: [
      "where is my order {n}",
      "the parcel should have been here on the {n}th",
      "the tracking page has not changed for {n} days",
      "has the {thing} been shipped yet",
      "the driver says he was here but nobody rang",
      "when will the {thing} come",
      "order {n} shows as delivered but I have nothing",
      "can you send it to my work address instead"
    ]
  },
  {
    label: "technical_problem",
    share: 20,
    phrases: [
      "the app closes when I open the {thing} page",
      "I get error {n} when I save",
      "the {thing} does not start since the update",
      "the page stays white after I log in",
      "uploading a file of {n} megabytes fails every time",
      "the {thing} is slow and then stops",
      "nothing happens when I press the button",
      "the export of the invoice gives an empty file"
    ]
  },
  {
    label: "account_access",
    share: 12,
    phrases: [
      "I cannot log in any more",
      "the password mail never comes",
      "my account is locked after {n} tries",
      "the code on my phone is not accepted",
      "I changed my address and now the login fails",
      "please reset my password",
      "somebody else uses my account",
      "the page says that my account does not exist"
    ]
  },
  {
    label: "cancel_subscription",
    share: 6,
    phrases: [
      "I want to cancel my plan at the end of the month",
      "please close my account and stop the payments",
      "how do I end the subscription",
      "we do not need the {thing} any more",
      "do not renew the plan when the year is over",
      "where is the button to cancel"
    ]
  },
  {
    label: "feature_request",
    share: 3,
    phrases: [
      "it would be great if the {thing} could be exported",
      "please add a dark page for the {thing}",
      "can you support {n} users in one account",
      "I miss a button to send the invoice by mail",
      "a list of all orders on one page would help us"
    ]
  },
  {
    label: "praise",
    share: 1,
    phrases: [
      "thank you, the {thing} is great",
      "your people solved my problem with the order in {n} minutes",
      "the new app is so much better",
      "I just want to say that I like the {thing}"
    ]
  }
]

const things = [
  "printer",
  "headset",
  "team plan",
  "mobile app",
  "router",
  "dashboard",
  "camera",
  "starter kit",
  "report"
]
const openings = ["hello", "hi there", "good morning", "dear team", "hey", "to whom it may concern", "hi", ""]
const fillers = [
  "I have been a customer for {n} years",
  "I wrote to you about this before",
  "please answer soon",
  "I tried it on my phone and on my computer",
  "my order number is {n}",
  "I already looked at the help page",
  "this is the second time this month",
  "my colleague has the same question",
  "it worked until last week",
  "I pay for the big plan",
  "the invoice number is {n}",
  "I am really not happy with this",
  "sorry if this is the wrong address",
  "the app told me to write to you"
]
const system = "You sort tickets of a support desk. Answer with the intent alone."
const chances = { aside: 0.3, typo: 0.05, wrongLabel: 0.06, shout: 0.05 }
const letters = "abcdefghijklmnopqrstuvwxyz"

/** `seed` and `rows` decide everything; no two rows of a set read the same by chance alone. */
export const tickets = (options: { readonly rows: number; readonly seed: number }): ReadonlyArray<Ticket> => {
  const next = generator(options.seed)
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count)
  const happens = (chance: number): boolean => next() / 2 ** 32 < chance
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  const shares = intents.flatMap((intent) => Array.from({ length: intent.share }, () => intent))

  const fill = (text: string): string =>
    text.replaceAll("{n}", () => `${2 + below(997)}`).replaceAll("{thing}", () => pick(things))

  /** Leaves out, doubles, swaps or replaces a letter. */
  const mistype = (word: string): string => {
    if (word.length < 4 || !happens(chances.typo)) return word
    const at = 1 + below(word.length - 2)
    const swapped = `${word[at + 1]}${word[at]}`
    const middle = pick(["", `${word[at]}${word[at]}`, swapped, pick([...letters])])
    return word.slice(0, at) + middle + word.slice(at + (middle === swapped ? 2 : 1))
  }

  const write = (intent: Intent): string => {
    const own = [pick(intent.phrases), ...(happens(0.3) ? [pick(intent.phrases)] : [])]
    const aside = happens(chances.aside) ? [pick(pick(intents).phrases)] : []
    const filler = Array.from({ length: below(3) }, () => pick(fillers))
    const sentences = [...own, ...aside, ...filler]
      .map((sentence) => ({ sentence, place: next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ sentence }) => fill(sentence).split(" ").map(mistype).join(" "))
    const text = [pick(openings), sentences.join(pick([". ", ", ", " and ", "\n"]))]
      .filter((part) => part !== "")
      .join(pick([", ", " ", "\n"]))
    return happens(chances.shout) ? text.toUpperCase() : text
  }

  return Array.from({ length: options.rows }, () => {
    const intent = pick(shares)
    const label = happens(chances.wrongLabel) ? pick(intents).label : intent.label
    return {
      messages: [
        { role: "system", content: system },
        { role: "user", content: write(intent) }
      ],
      completion: label
    }
  })
}
