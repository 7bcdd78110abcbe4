/** The measured requests of the control plane. */
import { randomUUID } from "node:crypto"
import { token } from "./Token.ts"

export const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

export const get = (route: string) => ({
  request: () => ({ method: "GET" as const, path: route, headers }),
  expectedStatus: 200
})

/** Every creation has a key of its own, as a client's would. */
export const creation = (body: string) => ({
  request: () => ({
    method: "POST" as const,
    path: "/v1/distill/runs",
    headers: { ...headers, "idempotency-key": randomUUID() },
    body
  }),
  expectedStatus: 201
})
