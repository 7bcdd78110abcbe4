/** The guard of a deployment: what it knows, in words and figures. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { Figure } from "../parts/Facts.tsx"
import { Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { intervalText, quantity, share } from "../parts/Words.ts"
import { type Guarded, guardWords } from "./GuardWords.ts"

type Agreement = NonNullable<DeploymentWithFigures["agreement"]>

const Gauge = ({ agreement, floor }: { readonly agreement: Agreement; readonly floor: number | null }) => (
  <div
    className="gauge"
    role="img"
    aria-label={`Agreement ${share(agreement.value)}, between ${intervalText(agreement, share)}, floor ${share(floor)}`}
  >
    <span
      className="gauge-interval"
      style={{ left: `${100 * agreement.low}%`, width: `${100 * (agreement.high - agreement.low)}%` }}
    />
    <span className="gauge-value" style={{ left: `${100 * agreement.value}%` }} />
    {floor !== null && <span className="gauge-floor" style={{ left: `${100 * floor}%` }} />}
  </div>
)

type Props = Guarded & Pick<DeploymentWithFigures, "guarded_at">

export const Guard = (deployment: Props) => {
  const { agreement, guard, guarded_at } = deployment
  const floor = guard?.min_agreement ?? null
  return (
    <Section title="Guard" note={guardWords(deployment)}>
      {guarded_at !== null && (
        <p className="notice">
          The agreement fell below the floor <Time at={guarded_at} />:{" "}
          {guard?.on_breach === "fallback"
            ? "the fallback answers until a person activates it again."
            : "you were told, and the student still answers."}
        </p>
      )}
      <div className="figures">
        <Figure
          name="Agreement now"
          value={share(agreement?.value)}
          note={
            agreement === null
              ? "nothing was compared"
              : `${intervalText(agreement, share)}, ${quantity(agreement.comparisons, "comparison")}`
          }
        />
        <Figure name="Floor" value={share(floor)} />
      </div>
      {agreement !== null && <Gauge agreement={agreement} floor={floor} />}
    </Section>
  )
}
