/** A Vite plugin that adds Swagger UI's required licence to the built files. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { Plugin } from "vite"

const { resolve } = createRequire(import.meta.url)

export const licence: Plugin = {
  name: "licence",
  async generateBundle() {
    const texts = await Promise.all(
      ["LICENSE", "NOTICE"].map((name) => readFile(resolve(`swagger-ui-dist/${name}`), "utf8"))
    )
    this.emitFile({ type: "asset", fileName: "assets/swagger-ui-licence.txt", source: texts.join("\n") })
  }
}
