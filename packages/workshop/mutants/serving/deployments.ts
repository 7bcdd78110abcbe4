/** Deployments, and the keys of their endpoints. */
import type { Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a deployment that is retired may be changed",
    file: "packages/serving/src/deployment/DeploymentMachine.ts",
    edits: [{ find: "retired: {}", replace: 'retired: { Changed: ["ready"] }' }],
    tests: ["--project", "serving", "DeploymentMachine"]
  },
  {
    name: "a deployment that moves to a student before that one was loaded",
    file: "packages/serving/src/deployment/Deployments.ts",
    edits: [
      { find: "if (studentModel === before.studentModel && isHere) return", replace: 'if (studentModel !== "") return' }
    ],
    tests: ["--project", "serving", "Deployments"]
  },
  {
    name: "a deployment that rolls back to a student at the endpoint of another",
    file: "packages/serving/src/deployment/Settings.ts",
    edits: [{ find: "endpoint: previousEndpoint", replace: "endpoint: before.endpoint ?? previousEndpoint" }],
    tests: ["--project", "server", "deployments", "-t", "on memory"]
  },
  {
    name: "a key that follows a deployment's endpoint to another origin",
    file: "packages/serving/src/deployment/internal/DeploymentRules.ts",
    edits: [{ find: "before.sealedKey !== null", replace: "false" }],
    tests: ["--project", "server", "deployments", "-t", "on memory"]
  },
  {
    name: "nobody is told that an alias has moved",
    file: "packages/serving/src/deployment/internal/DeploymentChanges.ts",
    edits: [{ find: "yield* queue.nudge(Deployment.bell)", replace: "" }],
    tests: ["--project", "server", "serving.test"]
  }
]
