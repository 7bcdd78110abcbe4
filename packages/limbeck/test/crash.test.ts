/** Most at once, for most of the time is spent waiting for leases to run out. `npm run campaigns` kills more often. */
import { describe, it } from "@effect/vitest"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { callsKilled } from "./crash/CallsKilled.ts"
import { chatsKilled } from "./crash/ChatsKilled.ts"
import { feedbackKilled } from "./crash/FeedbackKilled.ts"
import { frozen } from "./crash/Frozen.ts"
import { killed } from "./crash/Killed.ts"
import { racesKilled } from "./crash/RacesKilled.ts"
import { recovered } from "./crash/Recovered.ts"
import { relabelsKilled } from "./crash/RelabelsKilled.ts"
import { runCanceled } from "./crash/RunCanceled.ts"
import { runsKilled } from "./crash/RunsKilled.ts"
import { shadowsKilled } from "./crash/ShadowsKilled.ts"
import { teachersKilled } from "./crash/TeachersKilled.ts"

// Sequential: timely takeover needs processor time that concurrent tests would take.
describe("a webhook engine, one of two on a database,", { timeout: 2 * patienceMillis }, () => {
  it("that is killed under load again and again loses no delivery, doubles only what was in flight, and is replaced in time (P19)", ({
    onTestFinished
  }) => killed(onTestFinished))

  it("that was held still for longer than its leases has all its outcomes refused, and works on (P19)", ({
    onTestFinished
  }) => frozen(onTestFinished))

  it("that is killed within the steps of a recovery brings back all dead letters, each once (P19)", ({
    onTestFinished
  }) => recovered(onTestFinished))
})

describe.concurrent("a worker of runs, one of two on a database,", { timeout: 2 * patienceMillis }, () => {
  it("that is killed again and again, while runs are canceled and retried, neither loses nor doubles anything of many runs (P32)", ({
    onTestFinished
  }) => runsKilled(onTestFinished))

  it("that is in the middle of a silent stage hears of a cancel at another server by the doorbell (P33)", ({
    onTestFinished
  }) => runCanceled(onTestFinished))
})

describe("a server that asks hosted candidates,", { timeout: 2 * patienceMillis }, () => {
  it("that is killed at any point never lets their provider charge more than the budget, and asks nothing again that it recorded (P1392)", ({
    onTestFinished
  }) => racesKilled(onTestFinished))

  it("that is killed between the second answers of a teacher requests none again that it recorded, and counts what it was charged (P1316)", ({
    onTestFinished
  }) => teachersKilled(onTestFinished))

  it("that is killed between the answers to the suspects of a version asks again only what was in flight, within the budget (P1575)", ({
    onTestFinished
  }) => relabelsKilled(onTestFinished))
})

describe.concurrent("a proxy, one of several on a database and a journal,", { timeout: 2 * patienceMillis }, () => {
  it("that is killed under load again and again loses no call whose answer a client has whole, and stores none twice (P65)", ({
    onTestFinished
  }) => callsKilled(onTestFinished))

  it("that is killed while storage is away loses nothing that students in shadow have said (P103)", ({
    onTestFinished
  }) => shadowsKilled(onTestFinished))

  it("that is killed while feedback waits for its call has each feedback once, when its client has tried again (P101)", ({
    onTestFinished
  }) => feedbackKilled(onTestFinished))
})

describe.concurrent("a chat, answered by one of three servers on a database,", { timeout: 2 * patienceMillis }, () => {
  it("that are killed again and again loses no question, answers none twice, and calls nobody back twice (P145)", ({
    onTestFinished
  }) => chatsKilled(onTestFinished))
})
