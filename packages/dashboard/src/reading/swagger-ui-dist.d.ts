/** As much of it as is used; the package has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  const SwaggerUI: (options: Readonly<Record<string, unknown>>) => void
  export default SwaggerUI
}
