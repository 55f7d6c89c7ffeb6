// zvariant behind the line protocol of drive/worker.js: each row with its own Rust type, header and body by serde.
use std::collections::HashMap;
use std::io::{stdin, BufRead};
use std::time::Instant;

use byteorder::LE;
use serde::{Deserialize, Serialize};
use zvariant::{from_slice, to_bytes, EncodingContext, ObjectPath, Signature, Type, Value};

type Fields = Vec<(u8, Value<'static>)>;
type Header = (u8, u8, u8, u8, u32, u32, Fields);
type Properties = HashMap<&'static str, Value<'static>>;
type Managed = HashMap<ObjectPath<'static>, HashMap<&'static str, Properties>>;
type Wire = &'static [u8];

/// Bytes as one run, not one by one.
#[derive(Serialize, Deserialize)]
struct Blob(#[serde(with = "serde_bytes", borrow)] &'static [u8]);

impl Type for Blob {
    fn signature() -> Signature<'static> {
        Signature::from_static_str_unchecked("ay")
    }
}

fn context() -> EncodingContext<LE> {
    EncodingContext::<LE>::new_dbus(0)
}

fn body_at(wire: Wire) -> usize {
    let fields = u32::from_le_bytes(wire[12..16].try_into().unwrap()) as usize;
    (16 + fields + 7) / 8 * 8
}

struct Row {
    encode: Box<dyn Fn(usize) -> Vec<u8>>,
    decode: Box<dyn Fn(usize)>,
    wires: Vec<Wire>,
}

fn row<B>(wires: Vec<Wire>) -> Row
where
    B: Serialize + Deserialize<'static> + Type + 'static,
{
    let values: Vec<(Header, Option<B>)> = wires.iter().map(|wire| read(wire)).collect();
    let sources = wires.clone();
    Row {
        wires,
        encode: Box::new(move |i| write(&values[i])),
        decode: Box::new(move |i| {
            std::hint::black_box(read::<B>(sources[i]));
        }),
    }
}

fn read<B>(wire: Wire) -> (Header, Option<B>)
where
    B: Deserialize<'static> + Type,
{
    let header: Header = from_slice(wire, context()).unwrap();
    let at = body_at(wire);
    let body = if at < wire.len() { Some(from_slice(&wire[at..], context()).unwrap()) } else { None };
    (header, body)
}

fn write<B: Serialize + Type>((header, body): &(Header, Option<B>)) -> Vec<u8> {
    let mut out = to_bytes(context(), header).unwrap();
    out.resize((out.len() + 7) / 8 * 8, 0);
    if let Some(body) = body {
        let bytes = to_bytes(context(), body).unwrap();
        out[4..8].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&bytes);
    }
    out
}

fn load(folder: &str, name: &str, kind: &str) -> Option<Row> {
    let data: Wire = std::fs::read(format!("{folder}/{name}.{kind}.LE")).ok()?.leak();
    let mut wires = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let n = u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize;
        wires.push(&data[at + 8..at + 8 + n]);
        at += 8 + (n + 7) / 8 * 8;
    }
    Some(match name {
        "hello" => row::<(u8,)>(wires),
        "su" => row::<(&'static str, u32)>(wires),
        "rssi" => row::<(&'static str, Properties, Vec<&'static str>)>(wires),
        "gmo" => row::<(Managed,)>(wires),
        "ad10k" => row::<(Vec<f64>,)>(wires),
        "au10k" => row::<(Vec<u32>,)>(wires),
        "ass100" => row::<(HashMap<&'static str, &'static str>,)>(wires),
        name if name.starts_with("ay") => row::<Blob>(wires),
        _ => row::<(&'static str,)>(wires),
    })
}

/// Dicts come back in another order, so lengths are compared: up to 7 bytes of padding depend on which entry is last.
fn check(row: &Row, operation: &str) -> String {
    for i in (0..row.wires.len()).step_by(1 + row.wires.len() / 100) {
        (row.decode)(i);
        if operation == "encode" && (row.encode)(i).len().abs_diff(row.wires[i].len()) > 7 {
            return "bad length differs".into();
        }
    }
    "ok".into()
}

/// Nanoseconds this thread has been ready to run and was not let: taken off, as in drive/clock.js.
fn waited() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

fn time(row: &Row, operation: &str, milliseconds: f64, at: &mut usize) -> String {
    let wanted = milliseconds * 1e6;
    let (mut batch, mut count, mut spent) = (1u64, 0u64, 0f64);
    while spent < wanted {
        let before = waited();
        let start = Instant::now();
        let (mut took, end) = (0f64, wanted - spent);
        while took < end {
            for _ in 0..batch {
                if operation == "encode" {
                    std::hint::black_box((row.encode)(*at));
                } else {
                    (row.decode)(*at);
                }
                *at = if *at + 1 == row.wires.len() { 0 } else { *at + 1 };
            }
            count += batch;
            let after = start.elapsed().as_nanos() as f64;
            if after - took < 5e5 {
                batch *= 2;
            }
            took = after;
        }
        spent += (took - (waited() - before)).max(took / 10.0);
    }
    format!("ok {:.3} {count}", spent / count as f64)
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let mut rows: HashMap<String, Row> = HashMap::new();
    let mut cursors: HashMap<String, usize> = HashMap::new();
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "drop" {
            println!("ok");
            continue;
        }
        if words.len() < 4 || (words[2] != "encode" && words[2] != "decode") {
            println!("no");
            continue;
        }
        let key = format!("{} {}", words[1], words[3]);
        if !rows.contains_key(&key) {
            match load(&folder, words[1], words[3]) {
                Some(row) => rows.insert(key.clone(), row),
                None => {
                    println!("no");
                    continue;
                }
            };
        }
        let row = &rows[&key];
        let reply = match words[0] {
            "check" => check(row, words[2]),
            _ => time(row, words[2], words[4].parse().unwrap(), cursors.entry(key).or_insert(0)),
        };
        println!("{reply}");
    }
}
