/** `limbeck watch`: prints states, metrics and logs of a run until its end. A terminal shows a board instead. */
// @effect-diagnostics globalDate:off globalTimers:off
import type { Client, Run, ServerEvent } from "@limbeck/client"
import type { Output } from "../Output.ts"
import * as Terminal from "../terminal/Terminal.ts"
import type { Command } from "./Remote.ts"
import { RunBoard } from "./RunBoard.ts"

const stateOf = ({ budget, stages, status, totals }: Run): string => {
  const done = stages.filter((stage) => stage.status === "succeeded").length
  const stage = stages.find((one) => one.status === "running")
  const place = stage === undefined ? "" : ` ${stage.kind}`
  const planned = stages.filter((one) => one.status !== "skipped").length
  return `${status} ${done}/${planned}${place}, $${totals.cost_usd} of $${budget.max_cost_usd}`
}

/** Prints metrics and logs in the stream's form (docs/api.md). */
const lineOf = ({ data, event }: ServerEvent): string => {
  // The document says what each event holds.
  if (event === "state") return stateOf(data as Run)
  if (event === "metric") {
    const { name, step, value } = data as { readonly name: string; readonly step: number; readonly value: number }
    return `  ${name} ${step}: ${value}`
  }
  return `  ${(data as { readonly message: string }).message}`
}

/** Seconds of a stage pass without events too. */
const redrawMillis = 1_000

const drawn = async (events: AsyncIterable<ServerEvent>): Promise<void> => {
  const board = new RunBoard()
  const screen = Terminal.board()
  const draw = () => screen.draw(board.lines(Date.now()))
  const timer = setInterval(draw, redrawMillis)
  try {
    for await (const event of events) {
      board.take(event)
      draw()
    }
  } finally {
    clearInterval(timer)
  }
}

const told = async (events: AsyncIterable<ServerEvent>, output: Output): Promise<void> => {
  for await (const event of events) output.result(event, lineOf(event))
}

/** The run as it ended. */
export const follow = async (client: Client, output: Output, id: string): Promise<Run> => {
  const events = client.runs.stream(id)
  await (process.stdout.isTTY && !output.isJson ? drawn(events) : told(events, output))
  const run = await client.runs.get(id)
  if (run.error !== null) output.note(`${run.error.code}: ${run.error.message}`)
  return run
}

export const watch =
  (id: string): Command =>
  async (client, output) =>
    (await follow(client, output, id)).status === "succeeded" ? 0 : 1
