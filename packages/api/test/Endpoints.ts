/** The endpoints in the contract's definitions, independent of the generated document. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../src/contract/Api.ts"

const list: Array<{ readonly name: string; readonly internal: boolean }> = []

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
    list.push({ name: `${endpoint.method} ${path}`, internal: Context.get(group.annotations, OpenApi.Exclude) })
  }
})

export const endpoints: ReadonlyArray<(typeof list)[number]> = list
