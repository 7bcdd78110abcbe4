/** The behaviour of a host with Limbeck inside, for any test runner. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"

export type Ask = (path: string, init?: RequestInit) => Promise<Response>

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** Reads and writes below the path: bodies, queries, non-JSON contents, and refusals. */
export const assertServed = async (ask: Ask, token: string): Promise<void> => {
  const authorization = `Bearer ${token}`
  const created = await ask("/limbeck/v1/distill/uploads", {
    ...json({ filename: "rows.jsonl" }),
    headers: { "content-type": "application/json", authorization, "idempotency-key": randomUUID() }
  })
  const upload = Object(await created.json())
  assert.strictEqual(created.status, 201, JSON.stringify(upload))
  const row = '{"messages":[{"role":"user","content":"a"}],"completion":"b"}\n'
  const sent = await ask(`/limbeck/v1/distill/uploads/${upload.id}/content`, {
    method: "PUT",
    headers: { "content-type": "application/x-ndjson", authorization },
    body: row
  })
  assert.strictEqual(sent.status, 202, await sent.text())
  const listed = await ask("/limbeck/v1/distill/uploads?limit=1", { headers: { authorization } })
  assert.strictEqual(Object(await listed.json()).data[0].bytes, row.length)
  const bodiless = await ask("/limbeck/v1/distill/runs/run_00000000000000000000000000/cancel", {
    method: "POST",
    headers: { authorization }
  })
  assert.strictEqual(bodiless.status, 404, await bodiless.text())
  const unknown = await ask("/limbeck/v1/nothing", { headers: { authorization } })
  assert.deepStrictEqual([unknown.status, Object(await unknown.json()).error.code], [404, "not_found_error"])
}

/** A route of the host, which has its parsed body. */
export const assertOwn = async (ask: Ask): Promise<void> => {
  const response = await ask("/orders", json({ item: "tea" }))
  assert.deepStrictEqual(await response.json(), { item: "tea" })
}
