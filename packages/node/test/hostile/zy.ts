import { spawnSync, spawn } from "node:child_process"
import { authorities, behaviours } from "./Behaviours.ts"
import * as Hosting from "./Hosting.ts"
const per = Number(process.env["PER"] ?? 8)
const list = []
const only = process.env["ONLY"]
for (const b of behaviours.filter(({ what }) => !only || new RegExp(only).test(what))) for (let i = 0; i < per; i++) list.push({ what: b.what, url: (await Hosting.host(b)).url })
const child = spawn(process.execPath, ["--conditions=@limbeck/source", "--expose-gc", new URL("./zz.ts", import.meta.url).pathname], { stdio: "inherit", env: { ...process.env, HOSTED: JSON.stringify({ list, authorities }) } })
child.on("exit", () => process.exit(0))
