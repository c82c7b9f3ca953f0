import "./start/quiet-imports.ts"
import { runCommand } from "./start/cli/main.ts"

process.exitCode = await runCommand(process.argv.slice(2))
