/** `npm run bench -- NAME [PART…]`: runs one benchmark of this package, or parts of it, and prints its figures. */
import { readdirSync } from "node:fs"

const folder = new URL("./", import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.replace(".bench.ts", ""))
const [name = "", ...parts] = process.argv.slice(2)

if (names.includes(name)) {
  const { main } = (await import(new URL(`${name}.bench.ts`, folder).href)) as {
    main: (parts: ReadonlyArray<string>) => Promise<void>
  }
  await main(parts)
  process.exit()
}
process.stderr.write(`Which benchmark? One of: ${names.join(", ")}\n`)
process.exit(2)
