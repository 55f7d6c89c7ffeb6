// The entry of the bundle build/cli.js.
import { runCommand } from './commands.ts'
import { processTerminal } from './terminal.ts'

// A reader such as head that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCommand(process.argv.slice(2), processTerminal())
