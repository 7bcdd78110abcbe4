/** The smallest applications of Next.js and NestJS that have a route of their own, around the programs of docs/mounts. */
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../../..")
const program = (name: string) => fs.readFileSync(path.join(root, "examples/mounts/src", `${name}.ts`), "utf8")

/** The configuration that docs/mounts/nextjs.md shows. */
const nextConfig = (): string => {
  const page = fs.readFileSync(path.join(root, "docs/mounts/nextjs.md"), "utf8")
  const [, text] = /```js\n(.*?)```/s.exec(page) ?? []
  if (text === undefined) throw new Error("docs/mounts/nextjs.md shows no configuration")
  return text
}

const nextOrders = `export const POST = async (request: Request) => Response.json({ item: (await request.json()).item })\n`

/** The test's own: a token of the shared \`limbeck\`. */
const nextToken = `import { limbeck } from "../limbeck/[...path]/limbeck"

export const dynamic = "force-dynamic"
export const GET = () => new Response(limbeck.bootstrapped.testToken)
`

/** Its decorators are called by hand: Node strips types, and knows no decorators. */
const nestMain = `import "reflect-metadata"
import { Body, Controller, Module, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { limbeck } from "./limbeck.ts"
import { bootstrap } from "./nest.ts"

class Orders {
  create(body) {
    return { item: body.item }
  }
}
Post()(Orders.prototype, "create", Object.getOwnPropertyDescriptor(Orders.prototype, "create"))
Body()(Orders.prototype, "create", 0)
Controller("orders")(Orders)
class AppModule {}
Module({ controllers: [Orders] })(AppModule)

await bootstrap(await NestFactory.create(AppModule, { logger: false }), Number(process.env.PORT))
process.stdout.write(limbeck.bootstrapped.testToken + "\\n")
`

type Files = Readonly<Record<string, string>>

export const next = (): Files => ({
  "next.config.mjs": nextConfig(),
  "app/limbeck/[...path]/route.ts": program("next").replaceAll("./limbeck.ts", "./limbeck"),
  "app/limbeck/[...path]/limbeck.ts": program("limbeck"),
  "app/orders/route.ts": nextOrders,
  "app/token/route.ts": nextToken
})

export const nest = (): Files => ({
  "nest/limbeck.ts": program("limbeck"),
  "nest/nest.ts": program("nest"),
  "nest/main.js": nestMain
})

export const write = (folder: string, files: Files): void => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
}
