/** `limbeck decide`, beside a server and a decision model: in processes of its own, and its other cases in this process. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Spending from "../src/remote/decide/Spending.ts"
import { decisionModel } from "./DecisionModel.ts"
import { runHere } from "./InProcess.ts"
import { runIn, shellIn } from "./ProgramIn.ts"
import { quiet, Server, startCommand, testToken } from "./Server.ts"

const server = new Server(afterAll, { ...quiet, STORAGE: "memory" })
beforeAll(() => server.start())

const environment = () => ({ LIMBECK_URL: server.origin, LIMBECK_TOKEN: testToken })

/** One US dollar for 100 tokens, which each request has. */
const pricePerMillion = 10_000

let sources = 0

/** A model of its own, which a source of its own offers under the same name. */
const opened = async (atEnd: AtEnd, hold?: (asked: number) => Promise<void>) => {
  const model = await decisionModel(atEnd, hold)
  const name = `decider-${++sources}`
  const client = makeClient({ baseUrl: server.origin, token: testToken })
  await client.sources.create({
    name,
    kind: "byok",
    base_url: model.base_url,
    api_key: "sk",
    default: true,
    models: [{ id: "decider", input_per_million: pricePerMillion }]
  })
  return model
}

const questions = [
  { type: "predicate", name: "angry", instructions: "The customer is angry." },
  { type: "choice", instructions: "Which team?", choices: [{ value: "bill, ing" }, { value: "tech" }] }
]

const mail = 'id,text\n1,hello\n2,"my, card"\n3,where\n'

const folderWith = async (atEnd: AtEnd, files: Readonly<Record<string, string>>) => {
  const folder = await temporaryFolder(atEnd)
  for (const [name, content] of Object.entries({ "q.json": JSON.stringify(questions), ...files })) {
    await fs.writeFile(path.join(folder, name), content)
  }
  return folder
}

const about = ["--questions", "q.json", "--model", "decider"]

/** The command in this process, with the folder's files by their whole paths. */
const decideHere = (folder: string, words: ReadonlyArray<string>) =>
  runHere(environment(), [
    "decide",
    ...words.map((word) => (/\.(?:csv|json)$/.test(word) ? path.join(folder, word) : word))
  ])

const contentOf = (folder: string, file: string) => fs.readFile(path.join(folder, file), "utf8")

describe("limbeck decide", () => {
  it("writes the rows with their answers, from a file, a pipe, and in either form (P1368)", async ({
    onTestFinished
  }) => {
    const { bodies } = await opened(onTestFinished)
    const folder = await folderWith(onTestFinished, {
      "mail.csv": mail,
      "map.json": JSON.stringify({ angry: { type: "noul", instructions: "The customer is angry." } })
    })
    const command = ["decide", "mail.csv", ...about, "--column", "text"]
    const done = await runIn(folder, command, { environment: environment() })
    assert.deepStrictEqual(
      [done.code, done.stderr, done.stdout],
      [0, "", "3 of 3 rows are answered; mail.decided.csv has all answers\n"]
    )
    const lines = [
      "id,text,angry,angry.probability,question_2,question_2.probability,served_by",
      '1,hello,false,0.31,"bill, ing",0.9,upstream',
      '2,"my, card",false,0.31,"bill, ing",0.9,upstream',
      '3,where,false,0.31,"bill, ing",0.9,upstream'
    ]
    assert.strictEqual(await contentOf(folder, "mail.decided.csv"), `${lines.join("\n")}\n`)
    assert.deepStrictEqual(await fs.readdir(folder), ["mail.csv", "mail.decided.csv", "map.json", "q.json"])
    assert.sameDeepMembers(
      bodies.map(({ input }) => input),
      ["hello", "my, card", "where"]
    )
    const again = await runIn(folder, command, { environment: environment() })
    assert.deepStrictEqual([again.code, again.stderr.includes("mail.decided.csv is there already")], [1, true])
    assert.lengthOf(bodies, 3)

    const script = "cat mail.csv | limbeck decide - --questions map.json --model decider --output out.csv --json"
    const piped = await shellIn(folder, script, environment())
    assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(piped.stdout), {
      rows: 3,
      answered: 3,
      failed: 0,
      cost_usd: null,
      output: "out.csv",
      stopped: null
    })
    assert.match(
      await contentOf(folder, "out.csv"),
      /^id,text,angry,angry\.probability,served_by\n1,hello,true,0\.75,upstream\n/
    )
    assert.sameDeepMembers(
      bodies.slice(3).map(({ state }) => state),
      [
        { id: "1", text: "hello" },
        { id: "2", text: "my, card" },
        { id: "3", text: "where" }
      ]
    )
  })

  it("goes on after a kill, and asks nobody twice about a row that was answered (P1369)", async ({
    onTestFinished
  }) => {
    const rows = 60
    let isOpen = false
    let release = () => {}
    const opening = new Promise<void>((resolve) => {
      release = resolve
    })
    const { asked } = await opened(onTestFinished, (count) => (count > 20 && !isOpen ? opening : Promise.resolve()))
    const content = `text\n${Array.from({ length: rows }, (_, at) => `row ${at}`).join("\n")}\n`
    const folder = await folderWith(onTestFinished, { "rows.csv": content })
    const at = (name: string) => path.join(folder, name)
    const command = ["decide", at("rows.csv"), "--questions", at("q.json"), "--model", "decider"]
    const killed = startCommand(onTestFinished, environment(), command)
    // Twenty are answered, and those under way wait.
    await eventually("the model is asked", () => asked.size >= 28)
    const journal = async () => (await contentOf(folder, "rows.decided.csv.journal")).split("\n")
    await eventually("twenty are in the journal", async () => {
      return (await journal()).filter((line) => line.includes('"answers"')).length === 20
    })
    killed.child.kill("SIGKILL")
    await killed.ended
    isOpen = true
    release()
    const done = await runIn(folder, command, { environment: environment() })
    assert.deepStrictEqual([done.code, done.stderr], [0, ""])
    assert.include(done.stdout, "20 of 60 rows were answered before\n")
    const lines = (await contentOf(folder, "rows.decided.csv")).trimEnd().split("\n")
    assert.lengthOf(lines, rows + 1)
    assert.deepStrictEqual(
      lines.slice(1).map((line) => line.split(",")[0]),
      Array.from({ length: rows }, (_, row) => `row ${row}`)
    )
    // Only requests that the kill broke off were sent again.
    const counts = [...asked.values()]
    assert.lengthOf(counts, rows)
    assert.isAtMost(counts.filter((count) => count === 2).length, 8)
    assert.isAtMost(Math.max(...counts), 2)
    for (let row = 0; row < 20; row++) assert.strictEqual(asked.get(JSON.stringify(`row ${row}`)), 1)
    assert.notInclude(await fs.readdir(folder), "rows.decided.csv.journal")
  })

  it("stops before a request could pass the most cost, and goes on with a larger one (P1370)", async ({
    onTestFinished
  }) => {
    const { bodies } = await opened(onTestFinished)
    const content = `text\n${Array.from({ length: 10 }, (_, at) => `dear ${at}`).join("\n")}\n`
    const folder = await folderWith(onTestFinished, { "rows.csv": content })
    const ask = (most: string) => decideHere(folder, ["rows.csv", ...about, "--max-cost-usd", most, "--json"])
    const first = await ask("4.5")
    assert.deepStrictEqual([first.code, first.stderr], [1, []])
    const stopped = { rows: 10, answered: 4, failed: 0, cost_usd: 4, output: null, stopped: "max_cost" }
    assert.deepStrictEqual(
      first.stdout.map((line) => JSON.parse(line)),
      [stopped]
    )
    assert.lengthOf(bodies, 4)
    const second = await ask("4.9")
    assert.strictEqual(second.code, 1)
    assert.lengthOf(bodies, 4)
    const third = await ask("10")
    assert.deepStrictEqual([third.code, third.stderr], [0, []])
    assert.deepInclude(JSON.parse(third.stdout.join("\n")), { answered: 10, cost_usd: 10, stopped: null })
    assert.lengthOf(bodies, 10)
  })

  it("says what is wrong with rows, questions and flags, before anything is asked (P1368)", async ({
    onTestFinished
  }) => {
    const { bodies } = await opened(onTestFinished)
    const folder = await folderWith(onTestFinished, {
      "mail.csv": mail,
      "head.csv": "id,text\n",
      "short.csv": "id,text\n1,a\n2\n",
      "open.csv": 'text\n"never\n',
      "empty.csv": "",
      "none.json": "[]",
      "text.json": "yes?",
      "twice.json": JSON.stringify([questions[0], questions[0]])
    })
    for (const [args, message] of [
      ["nowhere.csv --questions q.json --model decider", "nowhere.csv"],
      ["empty.csv --questions q.json --model decider", "empty.csv is empty"],
      ["head.csv --questions q.json --model decider", "head.csv holds no rows: nothing was asked"],
      ["short.csv --questions q.json --model decider", "line 3: 1 fields, and the header has 2"],
      ["open.csv --questions q.json --model decider", "line 2: a quoted field does not end"],
      ["mail.csv --questions q.json --model decider --column body", "mail.csv has no column body: id, text"],
      ["mail.csv --questions none.json --model decider", "none.json holds no questions"],
      ["mail.csv --questions text.json --model decider", "text.json is not JSON"],
      ["mail.csv --questions twice.json --model decider", "two questions are named angry"],
      ["mail.csv --questions q.json --model svc:nobody", "No such deployment: svc:nobody"]
    ] as const) {
      const { code, stderr, stdout } = await decideHere(folder, args.split(" "))
      assert.deepStrictEqual([code, stderr.join("\n").includes(message)], [1, true], `${args}: ${stderr} ${stdout}`)
    }
    const standard = await shellIn(
      folder,
      "cat mail.csv | limbeck decide - --questions q.json --model m",
      environment()
    )
    assert.deepStrictEqual([standard.code, standard.stderr.startsWith("--output: ")], [1, true])
    assert.lengthOf(bodies, 0)
  })

  it("leaves rows that nobody answers for the next time, and a journal of other questions alone (P1369)", async ({
    onTestFinished
  }) => {
    const { bodies } = await opened(onTestFinished)
    const folder = await folderWith(onTestFinished, {
      "rows.csv": "text\nfine\nbreak\n",
      "other.json": JSON.stringify(questions.slice(1))
    })
    const failed = await decideHere(folder, ["rows.csv", ...about])
    assert.strictEqual(failed.code, 1)
    assert.match(
      failed.stdout.join("\n"),
      /^row 2: 503: .+\n1 of 2 rows are answered; the same command goes on with the rest$/
    )
    const asked = bodies.length
    const refused = await decideHere(folder, ["rows.csv", "--questions", "other.json", "--model", "decider"])
    assert.deepStrictEqual(
      [refused.code, refused.stderr.join("\n").includes("is the journal of another file")],
      [1, true]
    )
    assert.lengthOf(bodies, asked)
  })
})

describe("the spending of limbeck decide", () => {
  it("never begins a request that the dearest so far shows could pass the most (P1370)", () => {
    const spending = Spending.make(10, 0, null)
    assert.strictEqual(spending.next(), "go")
    spending.begin()
    assert.strictEqual(spending.next(), "wait")
    spending.end(3)
    spending.begin()
    spending.begin()
    // 3 are spent, and 6 may be.
    assert.strictEqual(spending.next(), "wait")
    spending.end(1)
    spending.end(1)
    assert.strictEqual(spending.next(), "go")
    spending.begin()
    spending.end(3)
    assert.deepStrictEqual([spending.spentUsd(), spending.next()], [8, "over"])
  })
})
