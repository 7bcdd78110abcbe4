/** All at once, for most of the time is spent waiting for leases to run out. */
import { describe, it } from "@effect/vitest"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { bucketPulls } from "./crash/BucketPulls.ts"
import { capturedVersions } from "./crash/CapturedVersions.ts"
import { embeddedTexts } from "./crash/EmbeddedTexts.ts"
import { evaluations } from "./crash/Evaluations.ts"
import { idempotentClients } from "./crash/IdempotentClients.ts"
import { judgedTrainings } from "./crash/JudgedTrainings.ts"
import { liveRuns } from "./crash/LiveRuns.ts"
import { partialDecisions } from "./crash/PartialDecisions.ts"
import { pulls } from "./crash/Pulls.ts"
import { recovery } from "./crash/Recovery.ts"
import { resumedQuestions } from "./crash/ResumedQuestions.ts"
import { runsAndDeliveries } from "./crash/RunsAndDeliveries.ts"
import { takeOver } from "./crash/TakeOver.ts"
import { uploadsAndVersions } from "./crash/UploadsAndVersions.ts"

describe.concurrent("a server that is killed with kill -9", { timeout: 3 * patienceMillis }, () => {
  it("makes one run per key all the same, and tells every client the same (P41)", ({ onTestFinished }) =>
    idempotentClients(onTestFinished))

  it("goes on with the same message when a question is asked again under its key (P947)", ({ onTestFinished }) =>
    resumedQuestions(onTestFinished))

  // An attempt that fails is made again up to ten minutes later.
  it(
    "takes runs and deliveries up again after a restart, and nothing is lost or doubled (P41)",
    { timeout: 6 * patienceMillis },
    ({ onTestFinished }) => runsAndDeliveries(onTestFinished)
  )

  it("resumes a training from its checkpoint, to the very same student, and counts nothing twice (P49)", ({
    onTestFinished
  }) => liveRuns(onTestFinished))

  it("resumes the evaluation of a student of elsewhere, and asks it for nothing that is recorded (P305)", ({
    onTestFinished
  }) => evaluations(onTestFinished))

  it("asks for no recorded embedding of a training again, and ends the training (P1734)", ({ onTestFinished }) =>
    embeddedTexts(onTestFinished))

  it("pays for what judges took for a trainer that lives on, which asks the next server (P373)", ({ onTestFinished }) =>
    judgedTrainings(onTestFinished))

  it("resumes a recovery after a restart until all has come back, and fresh events overtake it (P41)", ({
    onTestFinished
  }) => recovery(onTestFinished))

  it("in the middle of partial asks has captured every answered request of decisions, with who answered what (P1550)", ({
    onTestFinished
  }) => partialDecisions(onTestFinished))

  it("ends uploads and versions whole after a restart, and never shows a half (P41)", ({ onTestFinished }) =>
    uploadsAndVersions(onTestFinished))

  it("builds a version of captured calls whole, however often it is killed, and never shows a half (P100)", ({
    onTestFinished
  }) => capturedVersions(onTestFinished))

  it("brings the objects of a bucket in whole after restarts, and shows nothing of a half (P100)", ({
    onTestFinished
  }) => bucketPulls(onTestFinished))

  it("brings a pull in whole after restarts, and fetches nothing twice that is here (P56)", ({ onTestFinished }) =>
    pulls(onTestFinished))

  it("or held still for long, is replaced by another one on the same database (P42)", ({ onTestFinished }) =>
    takeOver(onTestFinished))
})
