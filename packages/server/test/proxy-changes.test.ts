/** The proxy remembers tokens and sources for a moment; what changes is seen at once all the same (contract 2, 7). */
import { assert, it } from "@effect/vitest"
import type { Token, TokenWithSecret } from "@limbeck/api/TokensApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import { type Client, expectStatus } from "./support/Client.ts"
import { type House, onEachStorage } from "./support/House.ts"

const nobody = "http://127.0.0.1:9/v1"

const mint = async (caller: Client) =>
  expectStatus(
    await caller.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "app", scopes: ["proxy:write"] }),
    201
  )

const call = async (house: House, secret: string, source?: string) => {
  const headers = source === undefined ? {} : { "x-service-source": source }
  const answer = await house
    .client(secret)
    .post<never>("/v1/proxy/chat/completions", { model: "m", messages: [] }, headers)
  return answer.status
}

onEachStorage("changes beside a busy proxy", (house) => {
  it("a token that was just used is refused as soon as it is disabled (P59)", async () => {
    const { test } = await house.workspace()
    const { id, secret } = await mint(test)
    assert.strictEqual(await call(house, secret), 400)
    expectStatus(await test.delete<typeof Token.Type>(`/v1/tokens/${id}`), 200)
    assert.strictEqual(await call(house, secret), 401)
  })

  it("a token that was just used is refused as soon as it is rotated away (P180)", async () => {
    const { test } = await house.workspace()
    const { id, secret } = await mint(test)
    assert.strictEqual(await call(house, secret), 400)
    const { secret: next } = expectStatus(
      await test.post<typeof TokenWithSecret.Type>(`/v1/tokens/${id}/rotate`, {}),
      200
    )
    assert.strictEqual(await call(house, secret), 401)
    assert.strictEqual(await call(house, next), 400)
  })

  it("a source is there as soon as it is made, and gone as soon as it is removed (P59)", async () => {
    const { liveToken, test } = await house.workspace()
    const testToken = liveToken.replace("live", "test")
    assert.strictEqual(await call(house, testToken), 400)
    const { id, name } = await create(test, { base_url: nobody, default: true })
    assert.deepStrictEqual([await call(house, testToken), await call(house, testToken, name)], [502, 502])
    expectStatus(await test.delete(`/v1/sources/${id}`), 200)
    assert.deepStrictEqual([await call(house, testToken), await call(house, testToken, name)], [400, 400])
  })
})
