/** What a name server says from one connection to the next, and where redirects point. */

export interface Sequence {
  readonly what: string
  readonly livemode: boolean
  readonly allowed: ReadonlyArray<string>
  /** The answer to each look-up in turn. */
  readonly answers: ReadonlyArray<ReadonlyArray<string>>
  /** How the attempt after each look-up ends; null: the receiver was reached. */
  readonly errors: ReadonlyArray<string | null>
}

const here = ["127.0.0.1"]
const test = { livemode: false, allowed: [] }
const live = { livemode: true, allowed: [] }
const allowingHere = { livemode: true, allowed: ["127.0.0.0/8"] }

/** Every attempt makes a connection of its own. */
export const sequences: ReadonlyArray<Sequence> = [
  { ...test, what: "stays", answers: [here, here], errors: [null, null] },
  { ...test, what: "turns private", answers: [here, ["10.0.0.1"]], errors: [null, "blocked_address"] },
  { ...test, what: "turns to metadata", answers: [here, ["169.254.169.254"]], errors: [null, "blocked_address"] },
  { ...test, what: "turns to a disguise", answers: [here, ["::ffff:127.0.0.1"]], errors: [null, "blocked_address"] },
  { ...test, what: "turns to any address", answers: [here, ["0.0.0.0"]], errors: [null, "blocked_address"] },
  { ...test, what: "adds a private one", answers: [here, [...here, "10.0.0.1"]], errors: [null, "blocked_address"] },
  { ...test, what: "was private first", answers: [["10.0.0.1"], here], errors: ["blocked_address", null] },
  {
    ...test,
    what: "flips with every look-up",
    answers: [here, ["10.0.0.1"], here, ["fd00::1"], here],
    errors: [null, "blocked_address", null, "blocked_address", null]
  },
  { ...test, what: "goes away", answers: [here, []], errors: [null, "dns_failure"] },
  { ...test, what: "comes late", answers: [[], here], errors: ["dns_failure", null] },
  { ...test, what: "turns to nonsense", answers: [here, ["nonsense"]], errors: [null, "blocked_address"] },
  {
    ...test,
    what: "says the same many times",
    answers: [Array.from({ length: 20 }, () => "127.0.0.1")],
    errors: [null]
  },
  { ...live, what: "means this machine in live mode", answers: [here], errors: ["blocked_address"] },
  {
    ...live,
    what: "keeps meaning this machine in live mode",
    answers: [here, here],
    errors: ["blocked_address", "blocked_address"]
  },
  { ...allowingHere, what: "means what the operator allows", answers: [here], errors: [null] },
  {
    ...allowingHere,
    what: "turns to what nobody allows",
    answers: [here, ["10.0.0.1"]],
    errors: [null, "blocked_address"]
  },
  { ...allowingHere, what: "mixes both", answers: [[...here, "10.0.0.1"]], errors: ["blocked_address"] },
  { ...allowingHere, what: "means it in disguise", answers: [["::ffff:127.0.0.1"]], errors: ["blocked_address"] },
  { ...allowingHere, what: "means the other family", answers: [["::1"]], errors: ["blocked_address"] }
]

/** `{port}` belongs to a receiver that must not be contacted. */
export const redirects: ReadonlyArray<readonly [status: number, location: string]> = [
  [301, "http://127.0.0.1:{port}/"],
  [302, "http://127.0.0.1:{port}/"],
  [303, "http://127.0.0.1:{port}/"],
  [307, "http://127.0.0.1:{port}/"],
  [308, "http://127.0.0.1:{port}/"],
  [300, "http://127.0.0.1:{port}/"],
  [305, "http://127.0.0.1:{port}/"],
  [302, "http://localhost:{port}/"],
  [302, "http://[::1]:{port}/"],
  [302, "//127.0.0.1:{port}/"],
  [302, "http://2130706433:{port}/"],
  [302, "http://169.254.169.254/latest/meta-data/"],
  [302, "http://metadata.google.internal/"],
  [302, "http://10.0.0.1/"],
  [302, "file:///etc/passwd"],
  [302, "gopher://127.0.0.1:{port}/_x"],
  [302, "/elsewhere"],
  [302, ""],
  [201, "http://127.0.0.1:{port}/"],
  [200, "http://127.0.0.1:{port}/"]
]
