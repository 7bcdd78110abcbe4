/**
 * Changes of a text that keep its task and meaning: the lines that mail and forms put around a text, typing errors, capitals.
 * Training and measurement use different wordings.
 */
import { generator } from "../Hashing.ts"

/** `index`: chooses the wording and the places. */
type Change = (text: string, index: number) => string

const pick = <A>(from: ReadonlyArray<A>, index: number): A => from[index % from.length]!

const around = (before: string, after: string) => ({ before, after })
type Wrapping = ReturnType<typeof around>

const wrapping =
  (wrappings: ReadonlyArray<Wrapping>): Change =>
  (text, index) => {
    const { after, before } = pick(wrappings, index)
    return `${before}${text}${after}`
  }

const learntWrappings = {
  greeting: [
    around("Hi,\n\n", ""),
    around("Hello team,\n\n", "\n\nThanks!"),
    around("Dear Sir or Madam,\n\n", "\n\nKind regards"),
    around("Guten Tag,\n\n", "\n\nMit freundlichen Grüßen"),
    around("Bonjour,\n\n", "\n\nCordialement")
  ],
  footer: [
    around("", "\n\n--\nJohn Miller\nSales Manager | Tel. +1 555 0100 | www.example.com"),
    around("", "\n\nSent from my phone"),
    around("", "\n\nThis e-mail is confidential. If you received it by mistake, please delete it and tell the sender."),
    around("", "\n\nUnsubscribe | Privacy policy | © 2024 Example Inc. All rights reserved.")
  ],
  quoted_mail: [
    around(
      "",
      "\n\nOn Tue, 4 Mar 2025 at 09:15, Support <support@example.com> wrote:\n> Thank you for your message.\n> We have received it and will get back to you soon.\n> Your reference is 48213.\n> Best regards,\n> The support team"
    ),
    around(
      "",
      "\n\n-----Original Message-----\nFrom: Anna\nSent: Monday\nTo: Office\n> could you have a look at this please\n> I am out of the office until Thursday"
    )
  ],
  forwarded_header: [
    around(
      "---------- Forwarded message ---------\nFrom: Peter Brown <peter@example.org>\nDate: Fri, 12 Jan 2024 at 18:02\nSubject: Fwd: your message\nTo: <info@example.com>\n\n",
      ""
    ),
    around("FW: see below\nFrom: Kim Lee\nSent: 3 May 2025 11:20\nTo: Service Desk\nSubject: question\n\n", "")
  ],
  form_fields: [
    around("Name: Maria Rossi\nE-mail: maria@example.net\nCustomer number: 20731\nMessage: ", ""),
    around("Subject: Contact form\nPhone: 555-0123\nText: ", "\nNewsletter: no")
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Wrapping>>>

const measuredWrappings: Readonly<Record<keyof typeof learntWrappings, ReadonlyArray<Wrapping>>> = {
  greeting: [
    around("Good morning everyone,\n\n", "\n\nMany thanks in advance"),
    around("Hey there!\n\n", "\n\nCheers, Sam"),
    around("Hola:\n\n", "\n\nUn saludo")
  ],
  footer: [
    around(
      "",
      "\n\n___\nDr. Emily Clark\nHead of Procurement\nNorthwind Ltd, 12 Harbour Road, Leeds\nM: +44 20 7946 0991"
    ),
    around(
      "",
      "\n\nThe information in this message is intended only for the addressee. Any copying or distribution is prohibited."
    )
  ],
  quoted_mail: [
    around(
      "",
      "\n\nAm 07.11.2025 um 14:33 schrieb Customer Care:\n> We are sorry for the inconvenience.\n> Please send us a photo and the invoice,\n> so that our colleagues can check it.\n> Have a nice day!\n> Customer Care"
    )
  ],
  forwarded_header: [
    around(
      "Begin forwarded message:\n\nFrom: Lucy Hale <lucy.hale@example.edu>\nDate: 9 October 2025 at 07:48:10 BST\nTo: helpdesk@example.com\nSubject: Re: Re: as discussed\n\n",
      ""
    )
  ],
  form_fields: [
    around("First name: Olga\nLast name: Petrova\nCountry: Norway\nOrder: 99-4410\nYour comment: ", "\nConsent: yes")
  ]
}

const letters = "etaoinshrdlu"

/** One letter in 25 is left out, doubled, exchanged with its neighbour or replaced. */
const typos: Change = (text, index) => {
  const next = generator(index, 1)
  let changed = ""
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (next() % 25 !== 0 || !/\p{L}/u.test(letter)) changed += letter
    else {
      const following = text[at + 1] ?? ""
      changed += pick(["", letter + letter, following, pick([...letters], next())], next())
    }
  }
  return changed
}

const otherNumbers: Change = (text, index) =>
  text.replaceAll(/\d/gu, (digit) => String((Number(digit) + 1 + (index % 8)) % 10))

const upperCase: Change = (text) => text.toUpperCase()

/** All changes but typing errors. */
const withSurroundings = (wrappings: typeof measuredWrappings): Readonly<Record<string, Change>> => ({
  greeting: wrapping(wrappings.greeting),
  footer: wrapping(wrappings.footer),
  quoted_mail: wrapping(wrappings.quoted_mail),
  forwarded_header: wrapping(wrappings.forwarded_header),
  form_fields: wrapping(wrappings.form_fields),
  other_numbers: otherNumbers,
  upper_case: upperCase
})

/** The changes of texts to learn from. */
export const learnt = { surroundings: Object.values(withSurroundings(learntWrappings)), typos }

/** The changes of texts to measure with, by name. */
export const measuredChanges: Readonly<Record<string, Change>> = { ...withSurroundings(measuredWrappings), typos }
