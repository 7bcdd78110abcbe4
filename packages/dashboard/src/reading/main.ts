/**
 * `GET /docs`: the OpenAPI document of the server that shows it as a page to read, by Swagger UI. It asks nothing of any other origin,
 * and its policy would not let it.
 */
import "swagger-ui-dist/swagger-ui.css"
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js"

/** Tokens that a reader types in are forgotten with the page, and no validator is asked. */
SwaggerUI({
  url: "v1/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null
})
