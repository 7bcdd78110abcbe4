/** Starts the page. */
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "../style/base.css"
import "../style/parts.css"
import "../style/shell.css"
import { App } from "./App.tsx"

const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element #app")
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
