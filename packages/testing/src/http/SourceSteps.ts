/** What tests of sources begin with. */
import type { Source, SourceVerification } from "@limbeck/api/SourcesApi"
import { key } from "../upstream/Models.ts"
import { type Client, expectStatus } from "./Client.ts"

export type SourceView = typeof Source.Type
export type VerificationView = typeof SourceVerification.Type

export const sources = "/v1/sources"

let names = 0

export const body = (fields: Readonly<Record<string, unknown>> = {}) => ({
  name: `source-${++names}`,
  kind: "byok",
  base_url: "https://upstream.example/v1",
  api_key: key,
  ...fields
})

export const create = async (caller: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  expectStatus(await caller.post<SourceView>(sources, body(fields)), 201)
