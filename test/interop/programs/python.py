"""The other end in python3-dbus (libdbus): `python.py service` or `python.py client CASES.json`. Prints what run.cjs prints."""
import json
import re
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME, PATH, ECHO, TEST = 'org.dbuscodec.Service', '/org/dbuscodec/Test', 'org.dbuscodec.Echo', 'org.dbuscodec.Test'


def describe(value):
    """A value with its D-Bus type, and a variant's depth."""
    name = type(value).__name__
    level = getattr(value, 'variant_level', 0)
    if isinstance(value, (dbus.Array, dbus.Struct)):
        text = ','.join(describe(item) for item in value)
    elif isinstance(value, dbus.Dictionary):
        text = ','.join(f'{describe(key)}=>{describe(item)}' for key, item in value.items())
    elif isinstance(value, dbus.Boolean):
        text = str(bool(value))
    elif isinstance(value, dbus.Byte):
        text = str(int(value))
    elif isinstance(value, dbus.Double):
        text = float(value).hex()
    else:
        text = repr(str(value))
    return f'{name}{"+v%d" % level if level else ""}({text})'


def from_case(value):
    """The neutral spelling of cases.cjs as what python3-dbus marshals with a given signature."""
    if isinstance(value, list):
        return [from_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    if 'v' in value:
        signature, inner = value['v']
        return typed(signature, from_case(inner))
    if 'n' in value:
        return int(value['n'])
    if 'f' in value:
        return float(value['f'])
    return {from_case(key): from_case(item) for key, item in value['d']}


TYPES = {
    'y': dbus.Byte, 'b': dbus.Boolean, 'n': dbus.Int16, 'q': dbus.UInt16, 'i': dbus.Int32, 'u': dbus.UInt32, 'x': dbus.Int64,
    't': dbus.UInt64, 'd': dbus.Double, 's': dbus.String, 'o': dbus.ObjectPath, 'g': dbus.Signature,
}


def typed(signature, value):
    if signature == 'v':
        return type(value)(value, variant_level=value.variant_level + 1)
    if signature in TYPES:
        return TYPES[signature](value, variant_level=1)
    if signature.startswith('a{'):
        return dbus.Dictionary(value, signature=signature[2:-1], variant_level=1)
    if signature.startswith('a'):
        return dbus.Array(value, signature=signature[1:], variant_level=1)
    return dbus.Struct(value, signature=signature[1:-1], variant_level=1)


def message_record(message):
    return '|'.join([message.get_signature(), *map(describe, message.get_args_list())])


class Test(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, PATH)
        self.title = 'first'

    @dbus.service.method(TEST, in_signature='dd', out_signature='d')
    def Add(self, a, b):
        return a + b

    @dbus.service.method(TEST, in_signature='', out_signature='su')
    def Multi(self):
        return 'text', 7

    @dbus.service.method(TEST, in_signature='', out_signature='s')
    def Text(self):
        return 'text'

    @dbus.service.method(TEST, in_signature='', out_signature='')
    def Nothing(self):
        pass

    @dbus.service.method(TEST, in_signature='', out_signature='')
    def Fail(self):
        raise dbus.DBusException('you asked for it', name='org.dbuscodec.Error.Refused')

    @dbus.service.method(TEST, in_signature='i', out_signature='')
    def Bump(self, step):
        self.Bumped(step, {'by': dbus.Int32(step), 'x': dbus.Int64(-1)})

    @dbus.service.signal(TEST, signature='ia{sv}')
    def Bumped(self, step, details):
        pass

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature='ss', out_signature='v')
    def Get(self, interface, name):
        return dbus.ByteArray(b'\1\2\3') if name == 'Bytes' else self.title

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature='s', out_signature='a{sv}')
    def GetAll(self, interface):
        return {'Title': self.title, 'Level': dbus.Byte(4)}

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature='ssv', out_signature='')
    def Set(self, interface, name, value):
        self.title = value
        self.PropertiesChanged(interface, {name: value}, ['Level'])

    @dbus.service.signal(dbus.PROPERTIES_IFACE, signature='sa{sv}as')
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


def service():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    loop = GLib.MainLoop()
    seen = []

    def echo(connection, message):
        if not isinstance(message, dbus.lowlevel.MethodCallMessage) or message.get_interface() != ECHO:
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        reply = dbus.lowlevel.MethodReturnMessage(message)
        if message.get_member() == 'Quit':
            connection.send_message(reply)
            GLib.timeout_add(50, loop.quit)
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        seen.append([message.get_member(), message_record(message)])
        reply.append(*message.get_args_list(), signature=message.get_signature())
        connection.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    bus.add_message_filter(echo)
    Test(bus)
    bus.request_name(NAME)
    print('READY', flush=True)
    loop.run()
    print(json.dumps(seen))


def client(path):
    bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
    record = []

    def call(interface, member, signature='', values=()):
        message = dbus.lowlevel.MethodCallMessage(NAME, PATH, interface, member)
        if signature:
            message.append(*values, signature=signature)
        try:
            return message_record(bus.send_message_with_reply_and_block(message, 5))
        except dbus.DBusException as error:
            return f'{error.get_dbus_name()} {error.get_dbus_message()}'

    with open(path, encoding='utf8') as file:
        cases = json.load(file)
    for name, signature, values in cases:
        record.append([name, call(ECHO, 'E_' + re.sub(r'\W', '_', name, flags=re.ASCII), signature, from_case(values))])
    record.append(['introspection', call(dbus.INTROSPECTABLE_IFACE, 'Introspect')])
    heard = []
    loop = GLib.MainLoop()
    bus.add_signal_receiver(lambda *args: heard.append(','.join(map(describe, args))), path=PATH)
    record.append(['method', call(TEST, 'Add', 'dd', [1.5, 2.0])])
    record.append(['error reply', call(TEST, 'Fail')])
    record.append(['unknown method', call(TEST, 'Missing')])
    record.append(['property', call(dbus.PROPERTIES_IFACE, 'Get', 'ss', [TEST, 'Title'])])
    record.append(['properties', call(dbus.PROPERTIES_IFACE, 'GetAll', 's', [TEST])])
    record.append(['set a property', call(dbus.PROPERTIES_IFACE, 'Set', 'ssv', [TEST, 'Title', dbus.String('second', variant_level=1)])])
    record.append(['property read back', call(dbus.PROPERTIES_IFACE, 'Get', 'ss', [TEST, 'Title'])])
    record.append(['signal', call(TEST, 'Bump', 'i', [5])])
    GLib.timeout_add(200, loop.quit)
    loop.run()
    record.append(['heard', '\n'.join(heard)])
    call(ECHO, 'Quit')
    print(json.dumps(record))


if __name__ == '__main__':
    if sys.argv[1] == 'service':
        service()
    else:
        client(sys.argv[2])
