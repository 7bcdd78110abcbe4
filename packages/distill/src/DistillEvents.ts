/** The event types of distillation (contract 8). */
import type { EventType } from "@limbeck/core/events/Event"

const entry = (type: string, domain: string, description: string): EventType => ({ type, domain, description })
const runEvent = (name: string, description: string) => entry(`distill.run.${name}`, "distill.run", description)

export const distillEventTypes = [
  runEvent("created", "A run was created and waits for a worker."),
  runEvent("started", "A worker took the run up."),
  runEvent("stage_succeeded", "A stage of the run succeeded."),
  runEvent("succeeded", "The run succeeded; its report is ready."),
  runEvent("failed", "The run failed for good."),
  runEvent("canceled", "The run was canceled."),
  runEvent("retried", "A failed or canceled run was queued again."),
  entry("distill.report.ready", "distill.report", "The evaluation report of a run is ready."),
  entry("distill.upload.succeeded", "distill.upload", "Every line of an upload is a row."),
  entry("distill.upload.failed", "distill.upload", "An upload's content was refused."),
  entry("distill.pull.succeeded", "distill.pull", "A connector pull brought its rows."),
  entry("distill.pull.failed", "distill.pull", "A connector pull failed."),
  entry("distill.dataset_version.ready", "distill.dataset_version", "A dataset version is ready for runs."),
  entry("distill.dataset_version.failed", "distill.dataset_version", "A dataset version could not be built."),
  entry("distill.deployment.ready", "distill.deployment", "A deployment serves its alias."),
  entry("distill.deployment.failed", "distill.deployment", "A deployment could not be made ready."),
  entry(
    "distill.deployment.guarded",
    "distill.deployment",
    "A deployment's student was found to be below the agreement that is asked of it."
  ),
  entry(
    "distill.deployment.drifted",
    "distill.deployment",
    "The last calls of a deployment are answered otherwise than its first ones were."
  ),
  entry("distill.deployment.retired", "distill.deployment", "A deployment was retired.")
] as const
