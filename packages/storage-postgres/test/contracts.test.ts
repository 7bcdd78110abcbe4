import { suites } from "@limbeck/testing/contracts/all"
import { storage } from "./Database.ts"

suites("Postgres", storage)
