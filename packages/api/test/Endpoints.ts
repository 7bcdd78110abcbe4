/** The endpoints as the contract's definitions have them, apart from the document that is made of them. */
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "../src/Api.ts"
import { BillingApi } from "../src/BillingApi.ts"
import { HumanOnlyApi } from "../src/HumanOnlyApi.ts"

/** Groups that the document leaves out. */
const internalGroups: ReadonlyArray<string> = [HumanOnlyApi.identifier, BillingApi.identifier]

const list: Array<{ readonly name: string; readonly internal: boolean }> = []

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
    list.push({ name: `${endpoint.method} ${path}`, internal: internalGroups.includes(group.identifier) })
  }
})

export const endpoints: ReadonlyArray<(typeof list)[number]> = list
