/** Starts the page. */
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "../style/base.css"
import "../style/parts.css"
import "../style/tables.css"
import "../style/plots.css"
import "../style/texts.css"
import "../style/forms.css"
import "../style/home.css"
import "../style/shell.css"
import { App } from "./App.tsx"

const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element #app")
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
