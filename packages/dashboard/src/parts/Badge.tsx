/** A state, by its word and by a colour that only repeats it. */
const tones: Readonly<Record<string, string>> = {
  succeeded: "good",
  ready: "good",
  enabled: "good",
  active: "good",
  completed: "good",
  failed: "bad",
  dead_lettered: "bad",
  disabled: "bad",
  expired: "bad",
  guarded: "bad",
  failing: "bad",
  rehearsed: "busy",
  running: "busy",
  evaluating: "busy",
  validating: "busy",
  processing: "busy",
  building: "busy",
  provisioning: "busy",
  shadow: "busy"
}

export const Badge = ({ of }: { readonly of: string }) => (
  <span className={`badge ${tones[of] ?? "even"}`}>{of.replaceAll("_", " ")}</span>
)
