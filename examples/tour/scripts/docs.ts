/** Writes the diagrams into docs/ after a table has changed. */
import { readFileSync, writeFileSync } from "node:fs"
import { diagrams, withDiagrams } from "../test/Diagrams.ts"

const root = new URL("../../../", import.meta.url)

for (const file of new Set(diagrams.map((diagram) => diagram.file))) {
  const path = new URL(file, root)
  writeFileSync(path, withDiagrams(file, readFileSync(path, "utf8")))
}
