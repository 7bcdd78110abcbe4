/**
 * A small trainer that walks the whole contract of docs/trainers.md, in plain Node: it learns which completion goes most often
 * with each word. Its environment can make it misbehave (`TRAINER_BEHAVIOR`), and say how slow it is (`TRAINER_STEP_MS`).
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const input = JSON.parse(readFileSync(0, "utf8"))
const { config, paths, resume, stage } = input
const behavior = process.env.TRAINER_BEHAVIOR ?? ""
const stepMillis = Number(process.env.TRAINER_STEP_MS ?? 0)
const does = (what) => behavior.split(",").includes(what)

const say = (message) => writeSync(1, `${JSON.stringify(message)}\n`)
const log = (message, level = "info") => say({ type: "log", level, message })
const linesOf = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse)
const wordsOf = (messages) =>
  String(messages.at(-1)?.content ?? "")
    .toLowerCase()
    .match(/[a-z]+/g) ?? []

/** A diary of starts, for tests that count them. */
if (process.env.TRAINER_DIARY)
  appendFileSync(process.env.TRAINER_DIARY, `${stage.kind} ${stage.attempt} ${process.pid}\n`)

if (does("stubborn")) process.on("SIGTERM", () => log("this trainer does not listen"))

if (does("last-words")) {
  process.on("SIGTERM", async () => {
    await sleep(150)
    say({ type: "checkpoint", state: { epoch: 99 } })
    process.exit(0)
  })
}

const misbehave = async () => {
  if (does("hang") || does("stubborn") || does("last-words")) {
    log("hangs")
    for (;;) await sleep(50)
  }
  if (does("crash")) process.exit(3)
  if (does("crash-once") && stage.attempt === 1) process.exit(3)
  if (does("silent")) process.exit(0)
  if (does("give-up")) say({ type: "failure", message: "there is no accelerator here", retryable: false })
  if (does("spend"))
    for (let tokens = 0; ; tokens += 1_000_000) {
      say({ type: "spend", judge_tokens: tokens })
      await sleep(20)
    }
  if (does("garbage")) {
    writeSync(
      1,
      'plain words\n{\'loss\': 0.5}\n[12:30] step\n{"type":"metric","name":\n[1,2\nnull\n{"type":"dance"}\n{"type":"metric","name":"x"}\n'
    )
    writeSync(
      1,
      `{"type":"metric","name":"loss","value":NaN,"step":1}\n{"type":"log","message":"nul \\u0000 and \\ud800"}\n`
    )
    writeSync(1, Buffer.from([0xff, 0xfe, 0x0a]))
    writeSync(1, `${"[".repeat(25_000)}${"]".repeat(25_000)}\n${"long ".repeat(400_000)}\n`)
    writeSync(2, `${"x".repeat(100_000)}\nprogress 1%\rprogress 99%\n`)
  }
  if (does("leak")) await leak()
}

/** What could hold a credential by mistake: text on both outputs, and whatever the contract has a string in. */
const wraps = [
  [1, String],
  [2, String],
  [1, (line) => JSON.stringify({ type: "log", message: line })],
  [1, (line) => JSON.stringify({ type: "log", message: `${line}\n${line}` })],
  [1, (line) => JSON.stringify({ type: "checkpoint", state: { note: line, [line]: [line] } })],
  [1, (line) => JSON.stringify({ type: "metric", name: line.slice(0, 100), value: 1 })],
  [1, (line) => `{"type":"log","message":${JSON.stringify(line)}`],
  [1, (line) => JSON.stringify({ type: line, message: line })]
]

/** Writes lines in pieces of one to seven bytes. */
const leak = async () => {
  const lines = readFileSync(process.env.TRAINER_LEAKS, "utf8").split("\n")
  for (const [fd, wrap] of wraps) {
    const bytes = Buffer.from(`${lines.map(wrap).join("\n")}\n`)
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 7) + 1) {
      writeSync(fd, bytes.subarray(at, at + size))
      if (at % 512 === 0) await sleep(1)
    }
  }
  say({ type: "failure", message: lines.join(" ; "), retryable: false })
}

/** Waits until the test writes the release file beside the diary. */
const release = async () => {
  while (!existsSync(path.join(path.dirname(process.env.TRAINER_DIARY), "released"))) await sleep(20)
}

/** How often each completion goes with each word, epoch by epoch, with a checkpoint after each. */
const train = async () => {
  const rows = linesOf(paths.train)
  const epochs = config.epochs ?? 1
  const first = resume?.state.epoch ?? 0
  const kept = path.join(paths.checkpoints, "counts.json")
  const counts = first > 0 && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {}
  if (first > 0) log(`goes on after epoch ${first}`)
  for (let epoch = first + 1; epoch <= epochs; epoch++) {
    for (const { completion, messages } of rows) {
      for (const word of wordsOf(messages)) {
        counts[word] ??= {}
        counts[word][completion.content] = (counts[word][completion.content] ?? 0) + 1
      }
    }
    await sleep(stepMillis)
    say({ type: "metric", name: "train_loss", unit: "nats", step: epoch, value: 1 / epoch })
    writeFileSync(kept, JSON.stringify(counts))
    say({ type: "checkpoint", state: { epoch } })
    if (does("held") && epoch === epochs - 1) await release()
  }
  return counts
}

const answer = (counts, messages) => {
  const votes = {}
  for (const word of wordsOf(messages)) {
    for (const [label, count] of Object.entries(counts[word] ?? {})) votes[label] = (votes[label] ?? 0) + count
  }
  const [best = ["", 0]] = Object.entries(votes).toSorted(([, a], [, b]) => b - a)
  const all = Object.values(votes).reduce((sum, count) => sum + count, 0)
  return { completion: best[0], confidence: all === 0 ? 0 : best[1] / all }
}

const evaluate = async () => {
  const counts = JSON.parse(readFileSync(path.join(paths.artifact, "model.json"), "utf8"))
  for (const { key, messages } of linesOf(paths.holdout)) {
    if (does("lazy")) break
    const begun = performance.now()
    const said = answer(counts, messages)
    await sleep(stepMillis)
    say({ type: "answer", row: key, ...said, latency_ms: performance.now() - begun })
  }
}

/** Asks the server for scores; retries while it is away or has issued a new capability. */
const scoresOf = async (completions) => {
  for (;;) {
    const { token, url } = JSON.parse(readFileSync(input.rewards.file, "utf8"))
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const asked = { method: "POST", headers, body: JSON.stringify({ completions }) }
    const response = await fetch(url, asked).catch(() => undefined)
    if (response?.ok) return (await response.json()).data.map(({ score }) => score ?? 0)
    if (response?.status === 400) throw new Error(await response.text())
    await sleep(50)
  }
}

/** Says at its first step what no row says, and what eight rows say from then on. */
const optimize = async () => {
  const rows = linesOf(paths.train).slice(0, 8)
  for (let step = (resume?.state.step ?? 0) + 1; step <= config.steps; step++) {
    const said = rows.map(({ completion, key }) => ({ row: key, completion: step > 1 ? completion : "none of them" }))
    const scores = await scoresOf(said)
    const value = scores.reduce((sum, score) => sum + score, 0) / scores.length
    say({ type: "metric", name: "reward_mean", unit: "score", step, value })
    say({ type: "checkpoint", state: { step } })
    await sleep(stepMillis)
  }
}

log(`${stage.kind} of ${input.student_model}, attempt ${stage.attempt}`)
writeSync(2, "a word on stderr\n")
await misbehave()
switch (stage.kind) {
  case "sft": {
    if (input.rehearsal === true) {
      const rows = linesOf(paths.train).length
      say({ type: "metric", name: "rehearsed_rows", value: rows, step: 1 })
      say({ type: "checkpoint", state: { epoch: 1 } })
      say({ type: "result", artifact: paths.workdir, details: { rows } })
      break
    }
    const counts = await train()
    mkdirSync("model/notes", { recursive: true })
    writeFileSync("model/model.json", JSON.stringify(counts))
    writeFileSync("model/notes/words.txt", Object.keys(counts).join("\n"))
    if (does("vanish")) say({ type: "result", artifact: "nowhere" })
    else if (does("escape")) say({ type: "result", artifact: "/etc/hostname" })
    else say({ type: "result", artifact: "model", details: { words: Object.keys(counts).length } })
    break
  }
  case "grpo":
    if (input.rewards) await optimize()
    say({ type: "result", artifact: paths.artifact })
    break
  case "eval":
    await evaluate()
    say({ type: "result" })
    break
  default:
    say({ type: "result", artifact: null })
}
