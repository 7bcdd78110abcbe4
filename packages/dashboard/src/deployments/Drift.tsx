/** How a deployment's last calls differ from its first ones, and what a person can do about it. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Bars } from "../parts/Bars.tsx"
import { Figure } from "../parts/Facts.tsx"
import { Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { quantity, share } from "../parts/Words.ts"

type Shift = DeploymentWithFigures["drift"]["fallback_share"]

const shifted = (shift: Shift) => (shift === null ? undefined : `${share(shift.before)} in the first 500 calls`)

const Accept = ({ id }: { readonly id: string }) => {
  const client = useClient()
  return (
    <Ask
      button="Accept"
      title="Compare with the present calls from now on?"
      note="The next 500 calls become the first ones. The student stays as it is."
      does="Accept"
      act={() => client.deployments.acceptDrift(id)}
    />
  )
}

export const Drift = ({ drift, drifted_at, id }: Pick<DeploymentWithFigures, "drift" | "drifted_at" | "id">) => (
  <Section
    title="Drift"
    note={`${quantity(drift.calls, "call")} since the student, its mode, its threshold or an acceptance last changed.`}
  >
    {drifted_at !== null && (
      <p className="notice">
        The calls changed, noticed <Time at={drifted_at} />. Retrain the student, or accept the present calls.{" "}
        <Accept id={id} />
      </p>
    )}
    <div className="figures">
      <Figure
        name="Share of the fallback"
        value={share(drift.fallback_share?.now)}
        note={shifted(drift.fallback_share) ?? "known after 600 calls"}
      />
      <Figure name="Mean confidence" value={share(drift.confidence?.now)} note={shifted(drift.confidence)} />
    </div>
    {Object.keys(drift.reasons).length > 0 && (
      <Bars
        label="Share of the last calls by the reason for their fallback"
        bars={Object.entries(drift.reasons).map(([name, of]) => ({ name, of, what: share(of) }))}
      />
    )}
  </Section>
)
