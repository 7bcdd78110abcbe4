/** Builds the pages into `dist/page`: with relative paths, so that they can be mounted anywhere. */
import { defineConfig } from "vite"
import { compress } from "./compress.ts"
import { licence } from "./swaggerNotice.ts"

export default defineConfig({
  base: "./",
  plugins: [licence, compress("dist/page")],
  resolve: { conditions: ["@limbeck/source", "module", "browser"] },
  build: {
    outDir: "dist/page",
    target: "es2024",
    // The policy of the page allows no data places in scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Packages say "use client" for servers that render; this page has none.
    rolldownOptions: { input: ["index.html", "docs.html"], checks: { moduleLevelDirective: false } }
  }
})
