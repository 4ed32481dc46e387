//! Starts a session between both ends of a simulation, `research/hw/tb/link_live.vhd`, whose
//! commands are this program's standard output and whose answers are its standard input:
//!
//! ```text
//! session KEY_FILE EPOCHS_OF_A EPOCHS_OF_B
//! ```
//!
//! Both identifiers are told on standard error, in hexadecimal, so that other programs can compute
//! the session's keys from the master key in `KEY_FILE`. The others are files of epochs.

use std::error::Error;
use std::{env, fs, io};

use polyseal_omd_link::{EpochFile, Link, Role, Simulator};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [key, epochs_of_a, epochs_of_b] = &arguments[..] else {
        return Err("usage: session KEY_FILE EPOCHS_OF_A EPOCHS_OF_B".into());
    };
    let master_key = fs::read(key)?;
    let mut epochs = (EpochFile::open(epochs_of_a)?, EpochFile::open(epochs_of_b)?);
    let simulator = Simulator::new(io::stdin().lock(), io::stdout().lock());
    let (mut a, mut b) = (Link::new(simulator.bus("0 "))?, Link::new(simulator.bus("1 "))?);
    let addresses = [[2, 0, 0, 0, 0, 0xa], [2, 0, 0, 0, 0, 0xb]];
    for (link, to, from) in [(&mut a, 1, 0), (&mut b, 0, 1)] {
        link.set_master_key(&master_key)?;
        link.set_addresses(addresses[to], addresses[from])?;
    }
    let of_a = a.offer(Role::A, epochs.0.take()?)?;
    let of_b = b.offer(Role::B, epochs.1.take()?)?;
    let (id_a, id_b) = (*of_a.identifier(), *of_b.identifier());
    eprintln!("{} {}", hex(&id_a), hex(&id_b));
    let (of_a, of_b) = (of_a.derive(&id_b)?, of_b.derive(&id_a)?);
    let (confirmation_a, confirmation_b) = (*of_a.confirmation(), *of_b.confirmation());
    of_a.enable(&confirmation_b)?;
    of_b.enable(&confirmation_a)?;
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
