/** Measures the students of one text set, named by the first argument, in its own process; prints JSON. */
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"

const [name = ""] = process.argv.slice(2)
const texts = StudentSet.read(name)
const trials: Array<StudentTrial.Trial> = []
for (const wrapping of StudentSet.wrappings) trials.push(await StudentTrial.of(texts, wrapping))
process.stdout.write(JSON.stringify({ trials, peakBytes: process.resourceUsage().maxRSS * 1024 }))
