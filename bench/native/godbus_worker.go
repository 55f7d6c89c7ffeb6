// godbus behind the line protocol of drive/worker.js. Its messages have no public serial: EncodeTo writes 0.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/godbus/dbus"
)

type input struct {
	bytes   []byte
	message *dbus.Message
}

var inputs = map[string][]input{}
var cursors = map[string]int{}

func decode(data []byte) (*dbus.Message, error) {
	return dbus.DecodeMessage(bytes.NewReader(data))
}

func encode(message *dbus.Message) ([]byte, error) {
	var out bytes.Buffer
	err := message.EncodeTo(&out, binary.LittleEndian)
	return out.Bytes(), err
}

func inputsOf(folder, row, operation, kind string) ([]input, error) {
	order := "LE"
	if strings.HasSuffix(operation, "_be") {
		order = "BE"
	}
	name := fmt.Sprintf("%s/%s.%s.%s", folder, row, kind, order)
	if list, ok := inputs[name]; ok {
		return list, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []input
	for at := 0; at < len(data); {
		n := int(binary.LittleEndian.Uint32(data[at:]))
		each := data[at+8 : at+8+n]
		message, err := decode(each)
		if err != nil {
			return nil, err
		}
		list = append(list, input{each, message})
		at += 8 + (n+7)/8*8
	}
	inputs[name] = list
	return list, nil
}

func check(list []input, operation string) string {
	for i := 0; i < len(list); i += 1 + len(list)/100 {
		if operation != "encode" {
			if _, err := decode(list[i].bytes); err != nil {
				return "bad " + err.Error()
			}
			continue
		}
		data, err := encode(list[i].message)
		if err != nil {
			return "bad " + err.Error()
		}
		again, err := decode(withSerial(data))
		if err != nil {
			return "bad " + err.Error()
		}
		if !reflect.DeepEqual(again.Body, list[i].message.Body) || !reflect.DeepEqual(again.Headers, list[i].message.Headers) {
			return "bad message differs"
		}
	}
	return "ok"
}

func withSerial(data []byte) []byte {
	data[8] = 1
	return data
}

func timeIt(list []input, key, operation string, milliseconds float64) string {
	at, batch, count := cursors[key], 1, 0
	start := time.Now()
	limit := time.Duration(milliseconds * float64(time.Millisecond))
	elapsed := time.Duration(0)
	for elapsed < limit {
		for i := 0; i < batch; i++ {
			if operation == "encode" {
				encode(list[at].message)
			} else {
				decode(list[at].bytes)
			}
			if at++; at == len(list) {
				at = 0
			}
		}
		count += batch
		after := time.Since(start)
		if after-elapsed < 500*time.Microsecond {
			batch *= 2
		}
		elapsed = after
	}
	cursors[key] = at
	return fmt.Sprintf("ok %.3f %d", float64(elapsed.Nanoseconds())/float64(count), count)
}

func answer(folder, line string) string {
	var command, row, operation, kind string
	var milliseconds float64
	words, _ := fmt.Sscan(line, &command, &row, &operation, &kind, &milliseconds)
	if command == "drop" {
		inputs = map[string][]input{}
		return "ok"
	}
	if words < 4 || (operation != "encode" && operation != "decode" && operation != "decode_be") {
		return "no"
	}
	list, err := inputsOf(folder, row, operation, kind)
	if err != nil {
		return "bad " + err.Error()
	}
	if command == "check" {
		return check(list, operation)
	}
	return timeIt(list, row+operation+kind, operation, milliseconds)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(answer(os.Args[1], lines.Text()))
	}
}
