// node -r dbus-codec/adapters/dbus-next/register app.js, or --import.
import { install } from './dbus-next.ts'

install()
