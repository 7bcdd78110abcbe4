/** A plugin for Vite: beside each file that is text its gzip and Brotli forms, so that no server compresses what never changes. */
import { readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import type { Plugin } from "vite"

const gzip = promisify(zlib.gzip)
const brotli = promisify(zlib.brotliCompress)

/** Of less than a packet nothing is saved. */
const bytesMin = 1_400

export const compress = (folder: string): Plugin => ({
  name: "compress",
  closeBundle: async () => {
    const files = await readdir(folder, { recursive: true })
    for (const name of files.filter((file) => /\.(css|html|js|svg)$/.test(file))) {
      const file = path.join(folder, name)
      const content = await readFile(file)
      if (content.length < bytesMin) continue
      await writeFile(`${file}.gz`, await gzip(content, { level: 9 }))
      await writeFile(`${file}.br`, await brotli(content))
    }
  }
})
