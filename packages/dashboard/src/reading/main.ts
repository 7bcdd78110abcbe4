/**
 * `GET /docs`: the server's OpenAPI document as a readable page, by Swagger UI. It requests nothing from other origins, and
 * its policy forbids it.
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
