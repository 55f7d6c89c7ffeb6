// A private dbus-daemon: its own configuration, socket and folder, nothing of the user's session.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CONFIGURATION = (socket: string) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
  <limit name="max_message_size">134217728</limit>
</busconfig>
`

export interface Daemon {
  address: string
  folder: string
  stop(): Promise<void>
}

export async function startDaemon(): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'dbus-codec-'))
  const configuration = join(folder, 'bus.conf')
  writeFileSync(configuration, CONFIGURATION(join(folder, 'bus')))
  const daemon = spawn('dbus-daemon', [`--config-file=${configuration}`, '--nofork', '--nopidfile', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => daemon.once('close', () => resolve()))
  const address = await new Promise<string>((resolve, reject) => {
    daemon.once('error', reject)
    daemon.once('close', (code) => reject(new Error(`dbus-daemon ended with ${code}`)))
    daemon.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()))
  })
  return {
    // Without the guid: dbus-next and its fork take the address apart at every "=".
    address: address.split(',guid=')[0] as string,
    folder,
    async stop() {
      daemon.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
