/** The program `limbeck`, with one subcommand per task. `npm start` runs `limbeck serve`. */
// Imported first, because it affects everything loaded later.
import "@limbeck/node/Pretenuring"
import * as Cli from "./Cli.ts"

process.exit(await Cli.execute(process.argv.slice(2)))
