/**
 * A Vite plugin that writes gzip and Brotli forms of each text file at the build, so that no server compresses immutable
 * files.
 */
import { readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import type { Plugin } from "vite"

const gzip = promisify(zlib.gzip)
const brotli = promisify(zlib.brotliCompress)

/** Compressing less than a packet saves nothing. */
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
