/**
 * `npm run check:openapi`: checks the server's document, and that of the webhook engine alone, with linters and a type
 * generator, and compares the client's generated files. Needs no network. `--print` writes the document to standard output
 * instead, for other tools; `--write` writes the client's files.
 */
import { contract as whole } from "@limbeck/api/Api"
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import { contract as webhooks } from "@limbeck/api/WebhookApi"
import { staleFaults, writeClientFiles } from "./ClientFiles.ts"
import { fieldFaults } from "./Fields.ts"
import { typeFaults } from "./Generated.ts"
import { redoclyFaults, spectralFaults } from "./Linters.ts"

const url = "https://service.example"
const textOf = (document: unknown) => JSON.stringify(document, null, 2)
const document = textOf(OpenApiDocument.make(url, whole))

if (process.argv.includes("--print")) process.stdout.write(`${document}\n`)
else if (process.argv.includes("--write")) await writeClientFiles(document)
else {
  const part = textOf(OpenApiDocument.make(url, webhooks))
  const found = await Promise.all([
    redoclyFaults(document),
    spectralFaults(document),
    typeFaults(document),
    staleFaults(document),
    fieldFaults(document),
    redoclyFaults(part),
    spectralFaults(part)
  ])
  for (const fault of found.flat()) process.stderr.write(`${fault}\n`)
  if (found.flat().length > 0) process.exit(1)
}
