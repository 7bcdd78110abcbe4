/** The result of one check of the doctor. */

export interface Finding {
  /** Such as `database`. */
  readonly check: string
  readonly state: "good" | "skipped" | "warning" | "fault"
  readonly message: string
}

export const good = (check: string, message: string): Finding => ({ check, state: "good", message })
/** The check does not apply here, or has no answer. */
export const skip = (check: string, message: string): Finding => ({ check, state: "skipped", message })
export const warning = (check: string, message: string): Finding => ({ check, state: "warning", message })
/** The message says what to do, too. */
export const fault = (check: string, message: string): Finding => ({ check, state: "fault", message })
