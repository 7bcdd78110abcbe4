/** A workspace beside one whose sources never respond. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { Models } from "@limbeck/testing/upstream/Models"
import { enqueue, withModel } from "./support/Chats.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

const upstream = new Models()
const receiver = new Receiver()
beforeAll(() => Promise.all([upstream.open(), receiver.open()]))
afterAll(() => {
  upstream.close()
  receiver.close()
})

const share = sizeAlone(Pools.chatAnswers.size)

onEachStorage("a workspace beside 300 questions of another that have no answer", (house) => {
  it("is answered, and the other one's source is asked no more often than its share allows (P820)", async () => {
    const unanswered = await withModel(house, upstream, () => {})
    const { caller } = await withModel(house, upstream)
    const askedOf = ({ base }: typeof unanswered) =>
      upstream.asked.filter(({ path }) => upstream.origin + path === `${base}/chat/completions`).length
    const webhook = receiver.answering((_, response) => void response.writeHead(204).end())
    for (let question = 0; question < 300; question++) await enqueue(unanswered.caller, { webhook })
    await upstream.changes.until("the source has the share of its workspace", () => askedOf(unanswered) >= share)
    const mine = receiver.answering((_, response) => void response.writeHead(204).end())
    await enqueue(caller, { webhook: mine })
    await receiver.changes.until("the callback comes", () => receiver.allAt(mine).length === 1)
    assert.strictEqual(askedOf(unanswered), share)
    assert.lengthOf(receiver.allAt(webhook), 0)
  })
})
