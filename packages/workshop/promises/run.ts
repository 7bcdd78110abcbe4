/** `npm run promises -- P183 …`: prints promises with their tests. Without numbers it checks that every promise has a test. */
import * as Promises from "./Promises.ts"

const numbers = process.argv.slice(2)
const unknown = numbers.filter((number) => !Promises.sentences().has(number)).map((number) => `${number} is no promise`)
const faults = numbers.length === 0 ? Promises.faults() : unknown
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exit(1)
process.stdout.write(numbers.map(Promises.render).join("\n"))
