/** The names of all settings. A variable whose name is almost one of them is a mistake, and not another program's. */
import { mistakesBetween } from "@limbeck/core/text/Mistakes"

export const settingNames = [
  "HOST",
  "PORT",
  "MAX_CONNECTIONS",
  "KEEP_ALIVE_SECONDS",
  "STORAGE",
  "DATABASE_URL",
  "DATA_DIR",
  "BLOBS_DIR",
  "JOURNAL_DIR",
  "BOOTSTRAP_LIVE_TOKEN",
  "BOOTSTRAP_TEST_TOKEN",
  "ENCRYPTION_KEY",
  "PUBLIC_URL",
  "RATE_LIMIT",
  "EGRESS_ALLOW",
  "UPLOAD_RETENTION_DAYS",
  "CALL_HISTORY_DAYS",
  "EVENT_HISTORY_DAYS",
  "CONVERSATION_HISTORY_DAYS",
  "BILLING",
  "BALANCE_LOW_USD",
  "EXECUTOR",
  "TRAINER_COMMAND",
  "TRAINER_ENV",
  "TRAINER_REHEARSALS",
  "SERVING_COMMAND",
  "MODELS_DIR",
  "CATALOG_FILE",
  "METRICS",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "QUEUE_URL",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "RAY_ADDRESS",
  "RAY_SHARED_DIR"
] as const

export type SettingName = (typeof settingNames)[number]

/** `HOST` and `PORT` are too short to tell a mistake from a name of another program, such as `HOME`. */
const comparedFrom = 6

/** Longer names have room for two mistakes that still leave no doubt. */
const twoMistakesFrom = 10

const allowedMistakes = ({ length }: string): number => (length >= twoMistakesFrom ? 2 : 1)

const isSetting = (name: string): boolean => settingNames.some((known) => known === name)

/** The setting that was meant by a name that is none; undefined where it resembles none. Case does not count. */
export const meantBy = (name: string): SettingName | undefined => {
  if (isSetting(name)) return undefined
  const upper = name.toUpperCase()
  return settingNames.find((known) => {
    const allowed = allowedMistakes(known)
    const isNear = Math.abs(known.length - upper.length) <= allowed
    return known.length >= comparedFrom && isNear && mistakesBetween(known, upper) <= allowed
  })
}
