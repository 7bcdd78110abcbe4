/** The page of a report: whole, by itself, and harmless whatever the rows hold. */
import { assert, describe, it } from "@effect/vitest"
import { escape } from "@limbeck/api/report/Html"
import * as ReportPage from "@limbeck/api/report/ReportPage"
import * as Partition from "@limbeck/core/partition/Partition"
import type { Evaluation } from "@limbeck/distill/report/Evaluation"
import type { Report } from "@limbeck/distill/report/Report"
import * as ReportResource from "@limbeck/distill/report/ReportResource"

const hostile = [
  "<script>alert(1)</script>",
  '"><img src=x onerror="alert(2)">',
  "</pre></style></svg><iframe src='//evil.example'></iframe>",
  "' onmouseover='alert(3)",
  "<!-- & ]]> --> &lt;b&gt; \u202e\u0000\ud800",
  "{{7*7}} javascript:alert(5)"
]
const nasty = (index: number): string => `${hostile[index % hostile.length]} #${index}`

const interval = (low: number, high: number, method = "bootstrap, 2000 resamples") => ({ low, high, method })

const reward = (index: number): Evaluation["rewards"][number] => ({
  id: `rwd_${index}`,
  name: nasty(index),
  kind: "contains",
  student: 0.8123 + index / 100,
  teacher: 0.9456,
  interval: interval(0.7712, 0.8534),
  teacher_interval: interval(0.9111, 0.9777, "wilson <95>"),
  difference: -0.1333,
  difference_interval: interval(-0.1801, -0.0899),
  wins: 11 + index,
  ties: 371,
  losses: 29,
  unscored: 3
})

const latency = (base: number): Evaluation["latency_ms"]["student"] => ({
  count: 414,
  mean: base + 0.123456,
  p50: base + 0.2,
  p90: base + 1.5,
  p95: base + 2.25,
  p99: base + 3.375,
  max: base + 17
})

const labelled = [0, 2, 4].map(nasty)

const advice: NonNullable<Evaluation["advice"]> = {
  most_frequent: { answer: nasty(1), share: 0.4231, beaten: true },
  teacher_itself: { prompts: 57, agreement: 0.9649, interval: null },
  labels: labelled.map((label, index) => ({ label, support: 138 - index, precision: 0.71 + index / 50, recall: null })),
  confusions: [{ teacher: nasty(0), student: nasty(2), count: 23 }],
  fields: [0, 3].map((index) => ({
    field: nasty(index),
    agreement: 0.9375 + index / 100,
    interval: index === 3 ? null : interval(0.9012, 0.9671, "wilson"),
    most_frequent: { answer: nasty(index + 1), share: 0.5117 },
    labels: [{ label: nasty(5), support: 61, precision: 0.9219, recall: 0.8852 }],
    confusions: [{ teacher: nasty(1), student: nasty(4), count: 17 }]
  })),
  cascade: {
    target_agreement: 0.98,
    steps: [0, 0.625, 0.9125].map((threshold, index) => ({
      threshold,
      share: 1 - threshold,
      agreement: index === 2 ? null : 0.86 + threshold / 10,
      interval: index === 2 ? null : interval(0.81 + threshold / 100, 0.96, "wilson"),
      cascade_agreement: 0.87 + threshold / 10,
      cost_per_1000_calls_usd: index === 2 ? null : 0.125 + threshold
    })),
    recommended_threshold: 0.625
  },
  saving: { per_1000_calls_usd: 3.875, break_even_calls: 319 },
  notes: [nasty(0), "a note that stands nowhere else"]
}

const evaluation: Evaluation = {
  advice,
  effective_rows: 391.25,
  teacher_itself: { value: 0.9444, low: 0.9123, high: 0.9655, rows: 197, method: "asked_again" },
  recommendation: {
    threshold: 0.6251,
    share: { value: 0.3751, low: 0.3321, high: 0.4221 },
    agreement: { value: 0.9801, low: 0.9621, high: 0.9901 },
    target: 0.9244,
    target_is: "teacher_itself",
    error: 0.1,
    method: "fixed_sequence_test",
    saving_usd_per_1000: { value: 3.8751, low: 3.1251, high: 4.2501 },
    saving_usd_per_month: { value: 46.5, low: 37.5, high: 51.25 }
  },
  recommendation_reason: "This is recommended because of that.",
  rows: 414,
  rewards: [reward(0), reward(1), reward(3)],
  accuracy: { value: 0.842995, interval: interval(0.8047, 0.8749, "wilson"), correct: 349 },
  reviewed: {
    rows: 83,
    student: { value: 0.9157, interval: interval(0.8361, 0.9586, "wilson"), correct: 76, undecided: 5 },
    teacher: { value: 0.8434, interval: interval(0.7507, 0.9062, "wilson"), correct: 70 },
    wins: 13,
    losses: 7
  },
  calibration: {
    expected_error: 0.031415,
    bins: [
      { from: 0, to: 0.5, count: 0, confidence: null, accuracy: null },
      { from: 0.5, to: 1, count: 414, confidence: 0.8741, accuracy: 0.842995 }
    ]
  },
  latency_ms: { student: latency(1), teacher: latency(812) },
  cost_per_1000_calls_usd: { student: 0.000417, teacher: 4.213 },
  worst_examples: hostile.map((text, index) => ({
    row: `${index}${text}`,
    prompt: `p${text}`,
    student: `s${text}`,
    teacher: `t${text}`,
    confidence: 0.99 - index / 1000,
    scores: { rwd_0: 0, rwd_1: null, rwd_3: 0.25 + index / 1000 }
  }))
}

const report: Report = {
  id: "rpt_00000000000000000000000001",
  run: "run_00000000000000000000000002",
  dryRun: false,
  summary: nasty(0),
  evaluation,
  studentModel: "stu_00000000000000000000000003",
  totals: { gpuSeconds: 12.345678, judgeTokens: 98_765, costMicros: 1_234_567 },
  estimate: { gpuSeconds: 10.5, costMicros: 1_050_000 },
  provenance: {
    datasetVersion: "dsv_00000000000000000000000004",
    contentSha256: "a".repeat(64),
    planHash: "b".repeat(64),
    recipe: {
      student_model: "builtin/text-classifier",
      stages: [{ kind: "sft", config: { epochs: 37 } }],
      name: hostile[2]!
    },
    executor: "builtin",
    artifactSha256: "c".repeat(64)
  },
  createdAt: 1_795_000_000_000
}

const partition = Partition.make("ws_00000000000000000000000001", true)
const resourceOf = (fields: Partial<Report> = {}) => ReportResource.render(partition, { ...report, ...fields })
const names = { student: nasty(7), dataset: nasty(8) }
const pageOf = (fields: Partial<Report> = {}) => ReportPage.render(resourceOf(fields), names)

const rehearsed: Partial<Report> = {
  dryRun: true,
  evaluation: null,
  studentModel: null,
  estimate: null,
  totals: { gpuSeconds: 0, judgeTokens: 0, costMicros: 0 },
  provenance: { ...report.provenance, artifactSha256: null, contentSha256: null }
}

const silent: Partial<Report> = {
  evaluation: {
    ...evaluation,
    rewards: [{ ...reward(1), student: null, teacher: null, interval: null, difference: null }],
    accuracy: { ...evaluation.accuracy, interval: null },
    calibration: null,
    advice: { ...advice, most_frequent: null, cascade: null, saving: null, labels: [], confusions: [] },
    latency_ms: { student: latency(2), teacher: null },
    cost_per_1000_calls_usd: { student: null, teacher: null },
    worst_examples: []
  }
}

const question = (index: number) => ({
  question: `qst_${String(index).repeat(26)}` as const,
  name: index === 2 ? null : nasty(index),
  kind: "score" as const,
  rows: 401 + index,
  agreement: { value: 0.9123, low: 0.8811 + index / 100, high: 0.9366 },
  truth: index === 0 ? { rows: 37, accuracy: 0.7297 } : null,
  brier: 0.0612,
  log_loss: 0.2177,
  calibration_error: 0.0182,
  auc: index === 1 ? 0.8765 : null,
  mean_absolute_error: 0.1349,
  ranked_probability_score: 0.0421,
  refusals: 9 + index,
  threshold: index === 1 ? null : 0.7231,
  teacher_itself:
    index === 1 ? null : { value: 0.9422, low: 0.9011, high: 0.9677, rows: 173, method: "asked_again" as const },
  recommendation:
    index === 2
      ? {
          threshold: 0.6612,
          share: { value: 0.8121, low: 0.7466, high: 0.8639 },
          agreement: { value: 0.9376, low: 0.8913, high: 0.9651 },
          target: 0.9222,
          error: 0.1,
          method: "fixed_sequence_test"
        }
      : null,
  confusions: index === 0 ? [] : [{ teacher: nasty(index), student: nasty(index + 2), count: 19 + index }],
  coverage: 0.6173,
  alone: { compared: 247, agreed: 243, difference: 3.5 },
  curve: [
    { threshold: 0, answered: 401, agreed: 366 },
    { threshold: 0.7231, answered: 247, agreed: 243 },
    { threshold: 0.99, answered: 0, agreed: 0 }
  ]
})

const decided: Partial<Report> = {
  evaluation: null,
  decisions: {
    rows: 414,
    questions: [0, 1, 2].map(question),
    requests: {
      answered_here: 0.1379,
      mixed: 0.7862,
      upstream: 0.0759,
      saved_usd_per_1000: 0.043812,
      saved_estimated_share: 0.2759
    }
  }
}

const voids = ["meta", "line", "rect", "circle"]
const known = [
  ..."html head meta title style body main header section article h1 h2 h3 p span bdi dl dt dd pre code data time".split(
    " "
  ),
  ..."div table caption thead tbody tr th td details summary figure figcaption svg desc line rect circle text".split(
    " "
  )
]

interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

/** Every tag of the page; fails for a stray bracket, or an unclosed tag. */
const tagsOf = (page: string): ReadonlyArray<Tag> => {
  const body = page.replace(/^<!doctype html>\n/, "").replace(/<style>[^<]*<\/style>/, "")
  const tags: Array<Tag> = []
  const open: Array<string> = []
  const pattern = /<(\/?)([a-z0-9]+)((?:\s+[a-zA-Z0-9-]+="[^"<>]*")*)(\/?)>/g
  assert.notMatch(body.replace(pattern, ""), /[<>]/)
  for (const [, closing, name = "", attributes = "", selfClosed] of body.matchAll(pattern)) {
    if (closing === "/") assert.strictEqual(open.pop(), name)
    else if (selfClosed !== "/" && name !== "meta") open.push(name)
    if (selfClosed === "/") assert.include(voids, name)
    const entries = [...attributes.matchAll(/([a-zA-Z0-9-]+)="([^"]*)"/g)].map(
      ([, key = "", value = ""]) => [key, value] as const
    )
    if (closing === "") tags.push({ name, attributes: new Map(entries) })
  }
  assert.deepStrictEqual(open, [])
  return tags
}

const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (typeof value === "number") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const bounds = { value: 0.9217, low: 0.8911, high: 0.9441 }
const candidate = (index: number) => ({
  source: `source-${index}`,
  model: nasty(index),
  agreement: index === 2 ? null : bounds,
  rewards: [],
  cost_per_1000_calls_usd: index === 1 ? null : 0.3127 + index,
  latency_ms: index === 2 ? null : { p50: 641.25, p95: 1_911.5 },
  answered: 409 + index,
  failed: 17 + index
})

const raced: Partial<Report> = {
  race: {
    candidates: [candidate(0), candidate(1), candidate(2)],
    cheapest: {
      kind: "candidate",
      name: `source-0/${nasty(0)}`,
      cost_per_1000_calls_usd: 0.3127,
      within_points: 0.0089,
      tied_with: [`source-2/${nasty(2)}`]
    }
  }
}

const variants = {
  "a report with candidates": raced,
  "a full report": {},
  "a rehearsal": rehearsed,
  "a report with parts missing": silent,
  "a report of decisions": decided
}

describe("the page of a report", () => {
  for (const [name, fields] of Object.entries(variants)) {
    it(`is well-formed HTML, in one language, with one heading: ${name}`, () => {
      const page = pageOf(fields)
      assert.match(page, /^<!doctype html>\n<html lang="en">/)
      const tags = tagsOf(page)
      assert.sameMembers([...new Set(tags.map(({ name }) => name).filter((tag) => !known.includes(tag)))], [])
      assert.strictEqual(tags.filter(({ name }) => name === "h1").length, 1)
      const ids = tags.flatMap(({ attributes }) => attributes.get("id") ?? [])
      assert.strictEqual(new Set(ids).size, ids.length)
    })

    it(`runs nothing, fetches nothing, and links to nothing: ${name}`, () => {
      const page = pageOf(fields)
      for (const { attributes, name } of tagsOf(page)) {
        for (const attribute of attributes.keys()) {
          assert.notMatch(attribute, /^on|^(src|href|style|action|data|srcset|formaction|xlink:href)$/, name)
        }
      }
      assert.notMatch(page.slice(page.indexOf("<style>"), page.indexOf("</style>")), /url\(|@import|expression/)
    })

    it(`names its tables, their columns and rows, and its plots, for those who cannot see: ${name}`, () => {
      const page = pageOf(fields)
      const tags = tagsOf(page)
      const count = (tag: string) => tags.filter(({ name }) => name === tag).length
      assert.strictEqual(count("caption"), count("table"))
      assert.isTrue(tags.filter(({ name }) => name === "th").every(({ attributes }) => attributes.has("scope")))
      for (const { attributes } of tags.filter(({ name }) => name === "svg")) {
        assert.strictEqual(attributes.get("role"), "img")
        for (const id of attributes.get("aria-labelledby")?.split(" ") ?? [""]) {
          assert.isTrue(tags.some((tag) => tag.attributes.get("id") === id))
        }
      }
    })
  }

  it("has the names of its student and its dataset as its title, and no id (P1758)", () => {
    const titled = (fields: Partial<Report>, student: string | null, dataset: string | null) => {
      const page = ReportPage.render(resourceOf(fields), { student, dataset })
      const [, title] = /<title>(.*?)<\/title>/s.exec(page) ?? []
      assert.include(page, `<h1>${title}</h1>`)
      return title
    }
    const [open, close] = ["\u2068", "\u2069"]
    const student = nasty(1)
    assert.strictEqual(
      titled({}, student, "tickets"),
      `${open}${escape(student)}${close}, trained on ${open}tickets${close}`
    )
    assert.strictEqual(titled({}, "sorter", null), `${open}sorter${close}`)
    assert.strictEqual(titled({}, null, null), "Report")
    assert.strictEqual(titled(rehearsed, null, "tickets"), `Rehearsal, of ${open}tickets${close}`)
  })

  it("shows every figure of the JSON, as a whole, and every text", () => {
    const { livemode: _livemode, object: _object, status: _status, ...shown } = resourceOf()
    const page = pageOf()
    const { recipe, ...provenance } = shown.provenance
    for (const value of numbersIn({ ...shown, provenance })) assert.include(page, `<data value="${value}">`)
    for (const text of stringsIn({ ...shown, provenance })) assert.include(page, escape(text))
    assert.include(page, escape(JSON.stringify(recipe, null, 2)))
  })

  it("shows a student of decisions question by question (P1362)", () => {
    const { questions, requests, summary } = resourceOf(decided)
    const page = pageOf(decided)
    const figures = questions.map(({ curve: _, ...one }) => one)
    for (const value of numbersIn({ figures, requests })) assert.include(page, `<data value="${value}">`)
    for (const text of stringsIn({ figures, summary })) assert.include(page, escape(text))
    assert.strictEqual(page.match(/<svg/g)?.length, 3)
    assert.notInclude(page, "Nothing was evaluated")
    const unpriced = { ...decided.decisions!, requests: { ...decided.decisions!.requests!, saved_usd_per_1000: null } }
    assert.include(pageOf({ decisions: unpriced }), "The cost of the teacher&#39;s calls is unknown")
  })

  it("shows each candidate, and the cheapest that is good enough with what is tied with it (P1397)", () => {
    const { candidates, cheapest_alternative } = resourceOf(raced)
    const page = pageOf(raced)
    const figures = candidates.map(({ rewards: _, ...figure }) => figure)
    for (const value of numbersIn(figures)) assert.include(page, `<data value="${value}">`)
    for (const text of stringsIn({ figures, cheapest_alternative })) assert.include(page, escape(text))
    const alone: Partial<Report> = { race: { ...raced.race!, cheapest: null } }
    assert.include(pageOf(alone), "None that has a known price is good enough by these rows.")
    assert.notInclude(pageOf(), "<h2>Candidates</h2>")
  })

  it("says first whether the student pays, then why, and last what it was made of (P350)", () => {
    const headings = [...pageOf().matchAll(/<h2>(.*?)<\/h2>/g)].map(([, text]) => text)
    assert.deepStrictEqual(headings, [
      "Does it pay?",
      "By reviewers",
      "With the teacher as fallback",
      "Quality",
      "Label by label",
      "Field by field",
      "Calibration",
      "Where it is most wrong",
      "Latency",
      "Cost",
      "Provenance"
    ])
  })

  it("begins with the decision, and each row of figures is of one operating point (P1748)", () => {
    const page = pageOf()
    const { advice: shown, cost_per_1000_calls_usd: cost, recommendation } = resourceOf()
    assert.match(page, /<p class="decision">Deploy at <data value="0.6251">0.625<\/data>: the student answers/)
    const groups = page.slice(page.indexOf("Does it pay?"), page.indexOf("By reviewers")).split("<h3>")
    const groupOf = (title: string) => groups.find((one) => one.startsWith(title)) ?? ""
    const saved = shown?.saving?.per_1000_calls_usd ?? 0
    const together = groupOf("Student and teacher, at a threshold of")
    for (const value of [cost?.teacher, saved, (cost?.teacher ?? 0) - saved, recommendation?.share.value])
      assert.include(together, `<data value="${value}">`)
    assert.notInclude(together, `<data value="${cost?.student}">`)
    const alone = groupOf("The student alone")
    assert.include(alone, `<data value="${cost?.student}">`)
    assert.notInclude(alone, `<data value="${saved}">`)
    const undecided = pageOf({ evaluation: { ...evaluation, recommendation: null } })
    assert.include(undecided, "Not yet: leave the calls to the teacher")
    assert.notInclude(undecided, "Student and teacher, at a threshold of")
    const costly = { ...advice, saving: { per_1000_calls_usd: -0.5, break_even_calls: null } }
    assert.include(pageOf({ evaluation: { ...evaluation, advice: costly } }), "It saves nothing")
    assert.notInclude(pageOf(rehearsed), 'class="decision"')
  })

  it("folds the tables under its plots, and names rows by their number (P1748)", () => {
    const page = pageOf()
    const folded = [...page.matchAll(/<details>(.*?)<\/details>/gs)].map(([, inside = ""]) => inside).join()
    for (const caption of [
      "What a threshold would do",
      "Mean scores on the holdout rows",
      "By label",
      "Confidence and"
    ])
      assert.include(folded, caption)
    assert.notInclude(folded, "Rows: what the teacher says")
    assert.include(page, "<h3>Example 1</h3>")
    assert.include(page, ">75 %</text>")
  })

  it("says how many rows the agreement with twice as many is expected of", () => {
    const point = (share: number, agreed: number) => ({ share, rows: 400 * share, compared: 100, agreed })
    assert.include(pageOf({ learningCurve: [point(0.25, 60), point(0.5, 70), point(1, 78)] }), "800</data>, expected")
  })

  it("escapes what rows hold, wherever it is shown (P53)", () => {
    const page = pageOf()
    for (const text of hostile.slice(0, 3)) assert.notInclude(page, text)
    assert.notMatch(page, /<(script|img|iframe|b)\b/)
    assert.notInclude(page, "\0")
    assert.isTrue(page.isWellFormed())
    assert.include(page, "&lt;script&gt;alert(1)&lt;/script&gt;")
  })

  it("says what is missing, in place of empty plots", () => {
    const page = pageOf(rehearsed)
    assert.notInclude(page, "<svg")
    assert.include(page, "This was a rehearsal")
    for (const sentence of ["No reward was scored.", "Nothing was evaluated", "No call was timed."]) {
      assert.include(page, sentence)
    }
    assert.include(pageOf(silent), "The student told no confidence.")
  })
})
