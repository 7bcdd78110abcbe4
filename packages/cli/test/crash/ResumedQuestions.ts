// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server is killed while its model works on two questions, one in place and one streamed; their clients retry. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Api } from "../Api.ts"
import { embedded } from "../DataFolder.ts"
import { testToken } from "../Server.ts"
import { heldModel } from "./HeldModel.ts"

interface Message {
  readonly id: string
  readonly conversation: string
  readonly role: string
  readonly status: string
  readonly text: string
}

const questions = [
  { text: "In place?", session: "place" },
  { text: "As a stream?", session: "stream", stream: true }
]

export const resumedQuestions = async (atEnd: AtEnd) => {
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const model = await heldModel(atEnd, 0, (question) => ({
    choices: [{ index: 0, message: { role: "assistant", content: `You said: ${question}` }, finish_reason: "stop" }]
  }))
  await api.create("/v1/sources", { name: "m", kind: "byok", base_url: model.base, default: true, models: ["m"] })
  const send = (question: (typeof questions)[number]) =>
    fetch(`${server.origin}/v1/chat`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${testToken}`,
        "content-type": "application/json",
        "idempotency-key": question.session
      },
      body: JSON.stringify(question)
    })
  const lost = questions.map((question) => send(question).catch(() => undefined))
  await model.changes.until("the model is asked both", () => model.asked.length === 2)
  const before = await api.list<{ readonly id: string }>("/v1/conversations")
  await server.kill()
  await Promise.all(lost)
  model.release()
  await server.start()
  for (const question of questions) {
    const answer = await eventually(`an answer to ${question.text}`, async () => {
      const answer = await send(question)
      // The key is in flight until the dead server's reservation ends; a 503 of a busy storage asks for a retry under the key.
      return answer.status === 409 || answer.status === 503 ? undefined : answer
    })
    assert.strictEqual(answer.status, 200, await answer.text())
  }
  assert.sameMembers(
    (await api.list<{ readonly id: string }>("/v1/conversations")).map(({ id }) => id),
    before.map(({ id }) => id)
  )
  for (const { id } of before) {
    const messages = await api.list<Message>(`/v1/conversations/${id}/messages`)
    assert.deepStrictEqual(
      messages.map(({ role, status }) => [role, status]),
      [
        ["assistant", "completed"],
        ["user", "completed"]
      ]
    )
    assert.strictEqual(messages[0]?.text, `You said: ${messages[1]?.text}`)
  }
}
