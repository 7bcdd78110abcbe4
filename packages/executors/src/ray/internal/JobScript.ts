/**
 * The cluster's script for a job: a shell that runs the trainer, and beside it a watch that ends it. The watch needs
 * neither this server nor Ray's head: it reads the folder of the job, and its own clock.
 *
 *     begun/       made by the first start; a job that is submitted twice works once
 *     pulse        counts while the job lives
 *     exit         how the trainer ended
 *     beat         changes while a server follows or waits for the job
 *     stop         the job is to end, with this many hundredths of a second of grace
 *     trainer.sh   the trainer's command and variables; it removes itself when it starts
 *
 * The watch tells the group to end when it is told so, when the budget buys no more time, and when no server was heard of
 * for long; and ends it once the grace is over.
 */
import * as fs from "node:fs/promises"
import * as Job from "../../process/internal/Job.ts"
import { privateFile, privateFolder } from "../../process/internal/PrivateModes.ts"
import { RayLimits } from "./Limits.ts"

/** `$1`: the folder, `$2`: what the budget buys, 0 for no bound, `$3`: silence; both in hundredths of a second. */
const script = `
job=$1 bought=$2 silence=$3
umask 077
[ ! -e "$job/stop" ] || exit 0
mkdir "$job/begun" 2>/dev/null || exit 0
cd "$job/work" || exit 1
trap : TERM INT HUP

now() {
  if read -r up _ 2>/dev/null </proc/uptime; then at=\${up%.*}\${up#*.}; else at=$(date +%s)00; fi
}

note() {
  echo "$2" >"$job/$1.new" && mv "$job/$1.new" "$job/$1"
}

end() {
  [ -z "$2" ] || echo "$2" >>"$job/stderr"
  kill -TERM 0
  now
  until=$((at + $1))
  while [ ! -e "$job/exit" ] && [ "$at" -lt "$until" ]; do
    sleep 0.1
    now
  done
  [ -e "$job/exit" ] || note exit 137
  kill -KILL 0
}

watch() {
  trap : TERM INT HUP
  now
  from=$at heard_at=$at heard= count=0
  last=$((bought / 4))
  [ "$last" -lt 130 ] || last=130
  while :; do
    count=$((count + 1))
    note pulse "$count"
    beat=$(cat "$job/beat" 2>/dev/null)
    now
    if [ "$beat" != "$heard" ]; then heard=$beat heard_at=$at; fi
    if [ -e "$job/stop" ]; then
      end "$(cat "$job/stop")" ""
    elif [ "$bought" -gt 0 ] && [ $((at - from)) -ge $((bought - last)) ]; then
      end $((last * 3 / 4)) "The budget buys no more time of this machine"
    elif [ $((at - heard_at)) -ge "$silence" ]; then
      end 300 "No server was heard of for $((silence / 100)) seconds"
    fi
    sleep 0.3
  done
}

watch &
watcher=$!
/bin/sh "$job/trainer.sh" <"$job/input.json" >>"$job/stdout" 2>>"$job/stderr"
code=$?
note exit "$code"
kill -KILL "$watcher" 2>/dev/null
exit "$code"
`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const hundredths = (millis: number): number => (Number.isFinite(millis) ? Math.max(1, Math.floor(millis / 10)) : 0)

export interface Command {
  /** For the shell of the cluster's machines. */
  readonly command: string
  /** Beside what the machines have themselves. */
  readonly environment: Readonly<Record<string, string>>
}

const trainerScript = ({ command, environment }: Command): string => {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`)
  return ['rm -f "$0"', "trap : TERM INT HUP", ...variables, command, ""].join("\n")
}

/** Writes what the cluster's machine reads, before anybody finds the job. */
export const write = async (job: Job.Job, command: Command): Promise<void> => {
  await fs.mkdir(Job.file(job, "work"), { recursive: true, mode: privateFolder })
  await fs.writeFile(Job.file(job, "start.sh"), script, { mode: privateFile })
  await fs.writeFile(Job.file(job, "trainer.sh"), trainerScript(command), { mode: privateFile })
}

/** `boughtMillis`: how long the budget lets it work; infinite if for ever. */
export const entrypoint = (
  { folder }: Job.Job,
  boughtMillis: number,
  silenceMillis = RayLimits.silenceMillis
): string =>
  `exec /bin/sh ${quoted(`${folder}/start.sh`)} ${quoted(folder)} ${hundredths(boughtMillis)} ${hundredths(silenceMillis)}`

/** Whole, or as it was before. */
const replace = async (job: Job.Job, name: string, text: string): Promise<void> => {
  const draft = Job.file(job, `${name}.new`)
  await fs.writeFile(draft, text, { mode: privateFile })
  await fs.rename(draft, Job.file(job, name))
}

/** Also a job that begins later ends at once. */
export const tellToStop = (job: Job.Job, graceMillis: number): Promise<void> =>
  replace(job, "stop", `${hundredths(graceMillis)}\n`)

/** A server is there. */
export const beat = (job: Job.Job, now: number): Promise<void> => replace(job, "beat", `${now}\n`)
