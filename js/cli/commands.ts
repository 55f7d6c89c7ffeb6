// The commands by name, and what they share: help, usage errors, exit codes (0 done, 1 found fault, 2 wrong use).
import { DEMO_HELP, demo } from './demo.ts'
import { DOCTOR_HELP, doctor } from './doctor.ts'
import { escapeText, type Terminal } from './terminal.ts'
import { isUsageError } from './usage.ts'

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  readonly run: (args: readonly string[], terminal: Terminal) => number | Promise<number>
}

/** A new command is a file beside this one and a line here. */
const COMMANDS: Readonly<Record<string, Command>> = {
  demo: { summary: 'decode captures, show them, encode again, measure', help: DEMO_HELP, run: demo },
  doctor: { summary: 'which libraries with an adapter a project has, and whether it uses it', help: DOCTOR_HELP, run: doctor },
}

/** Runs the command line (without node and the script); the result is the exit code. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...args] = argv
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.write(usage(args[0]))
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    terminal.warn(`no such command: ${escapeText(name)}\n\n${usage(undefined)}`)
    return 2
  }
  try {
    return await command.run(args, terminal)
  } catch (error) {
    if (!isUsageError(error)) throw error
    terminal.warn(`dbus-codec ${name}: ${escapeText(error.message)}\n\n${command.help}`)
    return 2
  }
}

function usage(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command !== undefined) return command.help
  const list = Object.entries(COMMANDS).map(([key, { summary }]) => `  ${key.padEnd(10)} ${summary}\n`)
  return `dbus-codec COMMAND\n\n${list.join('')}  help       what a command takes: dbus-codec help COMMAND\n`
}
