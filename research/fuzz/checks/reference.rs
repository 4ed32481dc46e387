//! The verdict of the reference in Python on an input (`research/reference/verdicts.py`): from a
//! process that is asked on a pipe, if `POLYSEAL_REFERENCE` is the command that starts it.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};

use serde_json::Value;

type Process = (Child, BufReader<std::process::ChildStdout>);

fn start() -> Option<Mutex<Process>> {
    let command = env::var_os("POLYSEAL_REFERENCE")?;
    let mut process = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the reference starts");
    let answers = BufReader::new(process.stdout.take().expect("a pipe"));
    Some(Mutex::new((process, answers)))
}

/// Fails if the reference is there and has another verdict on `input` than `found`.
pub(crate) fn agrees(target: &str, input: &[u8], found: &Value) {
    static PROCESS: OnceLock<Option<Mutex<Process>>> = OnceLock::new();
    let Some(process) = PROCESS.get_or_init(start) else { return };
    let mut process = process.lock().expect("one thread");
    let (child, answers) = &mut *process;
    let length = u32::try_from(input.len()).expect("an input of a fuzz target");
    let message = [&target.as_bytes()[..1], &length.to_le_bytes(), input].concat();
    let pipe = child.stdin.as_mut().expect("a pipe");
    pipe.write_all(&message).and_then(|()| pipe.flush()).expect("the reference listens");
    let mut answer = String::new();
    answers.read_line(&mut answer).expect("the reference answers");
    let expected: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(*found, expected, "the reference says otherwise");
}
