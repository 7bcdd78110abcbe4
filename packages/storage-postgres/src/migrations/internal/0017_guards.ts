/**
 * Columns for guards of deployments: which upstream answer a shadow result belongs to, whether it verifies a student's
 * answer, and whether it was counted.
 */
export const statements: ReadonlyArray<string> = [
  `ALTER TABLE call_shadows ADD COLUMN answer bigint, ADD COLUMN verifies boolean NOT NULL DEFAULT false,
  ADD COLUMN counted boolean NOT NULL DEFAULT false`,
  "CREATE INDEX call_shadows_uncounted ON call_shadows (created_at) WHERE verifies AND NOT counted"
]
