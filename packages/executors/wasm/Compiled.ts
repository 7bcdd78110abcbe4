/** What `scoreWasm.ts` has to say: `score.wat`, compiled. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import wabt from "wabt"

const folder = new URL("../src/builtin/internal/score/", import.meta.url)
const source = fileURLToPath(new URL("score.wat", folder))
export const target = fileURLToPath(new URL("scoreWasm.ts", folder))

export const text = async (): Promise<string> => {
  const { parseWat } = await wabt()
  const { buffer } = parseWat(source, readFileSync(source, "utf8"), { simd: true }).toBinary({})
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,100}/g) ?? []
  const content = lines.map((line) => `  "${line}"`).join(" +\n")
  return `/** score.wat, compiled by \`npm run wasm -w @limbeck/executors\`; base64. */\nexport const scoreWasm =\n${content}\n`
}
