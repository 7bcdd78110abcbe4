#!/usr/bin/env node
/** The program `limbeck`. */
import "@limbeck/cli/main"
