/** What guards of deployments go by: of a shadow result, which answer the upstream gave. */
export const statements: ReadonlyArray<string> = ["ALTER TABLE call_shadows ADD COLUMN answer bigint"]
