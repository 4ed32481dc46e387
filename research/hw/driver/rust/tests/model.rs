//! The driver on a model of the registers, which computes no keys: its confirmation of a side is
//! the exclusive or of both identifiers, the first bytes of the master key and the side.

use core::convert::Infallible;

use core::num::NonZeroU64;
use polyseal_omd_link::registers::{self as reg, Counter};

use polyseal_omd_link::{Bus, Epoch, Error, Events, Fault, Link, Role};

#[derive(Debug, Default)]
struct Model {
    master: Vec<u8>,
    own: Vec<u8>,
    peer: Vec<u8>,
    confirmation: Vec<u8>,
    addresses: [u32; 4],
    role: u32,
    busy: u32,
    derived: bool,
    enabled: bool,
    events: u32,
    accesses: Vec<(char, u16, u32)>,
    stuck: bool,
    /// Refusals do not come back, as over most mapped memory.
    silent: bool,
    version: u32,
}

impl Model {
    fn new() -> Self {
        Self { version: 0x0202, ..Self::default() }
    }

    fn confirmation_of(&self, side: u32) -> [u8; 16] {
        let (a, b) = if self.role == 0 { (&self.own, &self.peer) } else { (&self.peer, &self.own) };
        let of = |id: &[u8], i: usize| id[i] ^ id[16 + i % 8];
        std::array::from_fn(|i| of(a, i) ^ of(b, i).rotate_left(1) ^ self.master[i] ^ side as u8)
    }

    fn forget(&mut self) {
        self.derived = false;
        self.enabled = false;
        self.own.clear();
        self.peer.clear();
        self.busy = 3;
    }
}

fn word(bytes: &[u8], at: u16) -> u32 {
    u32::from_le_bytes(bytes[usize::from(at)..][..4].try_into().expect("four bytes"))
}

/// Words in order, the first of which begins anew.
fn take(text: &mut Vec<u8>, at: u16, word: u32) {
    if at == 0 {
        text.clear();
    }
    assert_eq!(text.len(), usize::from(at), "words in order");
    text.extend(word.to_le_bytes());
}

impl Bus for Model {
    type Error = Infallible;

    fn read(&mut self, offset: u16) -> Result<u32, Fault<Infallible>> {
        self.accesses.push(('r', offset, 0));
        Ok(match offset {
            reg::MAGIC => 0x4f4d_444c,
            reg::VERSION => self.version,
            reg::CAPABILITIES => 1 | 32 << 8 | 8 << 16 | 16 << 24,
            reg::FRAME_LIMITS => 9600 | 14 << 16,
            reg::STATUS => {
                self.busy = self.busy.saturating_sub(1);
                let mut status = 0;
                for (bit, set) in [
                    (reg::STATUS_BUSY, self.busy > 0 || self.stuck),
                    (reg::STATUS_HAS_MASTER, self.master.len() == 32),
                    (reg::STATUS_DERIVED, self.derived && self.busy == 0),
                    (reg::STATUS_ENABLED, self.enabled),
                    (reg::STATUS_NO_OWN_EPOCH, self.derived && self.own[16..] == [0; 8]),
                    (reg::STATUS_NO_PEER_EPOCH, self.derived && self.peer[16..] == [0; 8]),
                ] {
                    status |= if set { bit } else { 0 };
                }
                status
            }
            reg::IRQ_STATUS => self.events,
            reg::SESSION => 0x0403_0201,
            reg::COUNTER => 0x89ab_cdef,
            0x034 => 0x0123_4567,
            0x0e0..0x0f0 => self.addresses[usize::from(offset - 0x0e0) / 4],
            0x0d0..0x0e0 => word(&self.confirmation_of(self.role), offset - 0x0d0),
            // The counter `tag` is 2^32 + 5, all others are 0.
            _ if offset == reg::COUNTERS + 8 * Counter::Tag as u16 => 5,
            _ if offset == reg::COUNTERS + 8 * Counter::Tag as u16 + 4 => 1,
            _ if offset >= reg::COUNTERS => 0,
            _ => return Err(Fault::Refused),
        })
    }

    fn write(&mut self, offset: u16, data: u32) -> Result<(), Fault<Infallible>> {
        self.accesses.push(('w', offset, data));
        let guarded = matches!(offset, 0x020 | 0x040..0x0c0 | 0x0e0..0x0f0);
        if guarded && self.derived {
            return if self.silent { Ok(()) } else { Err(Fault::Refused) };
        }
        match offset {
            reg::CONTROL if data == reg::CONTROL_ZEROISE => {
                self.master.clear();
                self.forget();
            }
            reg::CONTROL if data == reg::CONTROL_STOP => self.forget(),
            reg::CONTROL if data == reg::CONTROL_DERIVE => {
                if self.master.len() != 32 || self.own.len() != 24 || self.peer.len() != 24 {
                    return Err(Fault::Refused);
                }
                self.derived = true;
                self.busy = 5;
            }
            reg::CONTROL if data == reg::CONTROL_ENABLE => {
                assert!(self.derived && self.confirmation.len() == 16);
                if self.confirmation == self.confirmation_of(1 - self.role) {
                    self.enabled = true;
                } else {
                    self.forget();
                }
            }
            reg::ROLE => self.role = data,
            reg::IRQ_STATUS => self.events &= !data,
            reg::IRQ_ENABLE => {}
            0x028 | 0x02c => {}
            0x040..0x060 => take(&mut self.master, offset - 0x040, data),
            0x080..0x098 => take(&mut self.own, offset - 0x080, data),
            0x0a0..0x0b8 => take(&mut self.peer, offset - 0x0a0, data),
            0x0c0..0x0d0 => take(&mut self.confirmation, offset - 0x0c0, data),
            0x0e0..0x0f0 => self.addresses[usize::from(offset - 0x0e0) / 4] = data,
            _ => return Err(Fault::Refused),
        }
        Ok(())
    }
}

const KEY: [u8; 32] = [7; 32];

fn epoch(number: u64) -> Epoch {
    Epoch::Stored(NonZeroU64::new(number).expect("not 0"))
}

#[test]
fn two_ends_agree_and_others_do_not() {
    let (mut a, mut b) = (Model::new(), Model::new());
    let (mut a, mut b) = (Link::new(&mut a).expect("a link"), Link::new(&mut b).expect("a link"));
    a.set_master_key(&KEY).expect("a key");
    b.set_master_key(&KEY).expect("a key");
    let of_a = a.offer(Role::A, epoch(1)).expect("an offer");
    let of_b = b.offer(Role::B, epoch(2)).expect("an offer");
    assert_ne!(of_a.identifier(), of_b.identifier());
    let (id_a, id_b) = (*of_a.identifier(), *of_b.identifier());
    let (of_a, of_b) = (of_a.derive(&id_b).expect("keys"), of_b.derive(&id_a).expect("keys"));
    assert_eq!((of_a.session(), of_b.session()), ([1, 2, 3, 4], [1, 2, 3, 4]));
    let (of_a_too, of_b_too) = (*of_a.confirmation(), *of_b.confirmation());
    of_a.enable(&of_b_too).expect("the right confirmation");
    of_b.enable(&of_b_too).expect_err("its own, sent back");
    assert!(a.status().expect("a status").enabled() && !b.status().expect("a status").derived());

    // Another session has another identifier.
    let again = a.offer(Role::A, epoch(3)).expect("an offer");
    assert_ne!(again.identifier(), &id_a);
    let again = again.derive(&id_b).expect("keys");
    assert_ne!(again.confirmation(), &of_a_too);
    assert!(matches!(again.enable(&of_b_too), Err(Error::WrongConfirmation)));
}

#[test]
fn the_epoch_is_in_the_identifier_and_its_absence_is_told() {
    let mut model = Model::new();
    let mut link = Link::new(&mut model).expect("a link");
    link.set_master_key(&KEY).expect("a key");
    let mut drawn = Vec::new();
    for (own, peer) in [(5, 1), (0x0102_0304_0506_0708, 0), (0, 1), (0, 0)] {
        let mine = if own == 0 { Epoch::NoStore } else { epoch(own) };
        let offer = link.offer(Role::A, mine).expect("an offer");
        let (random, counted) = offer.identifier().split_at(16);
        assert_eq!(counted, own.to_be_bytes());
        drawn.push(random.to_owned());
        let mut others = [9; 24];
        others[16..].copy_from_slice(&u64::to_be_bytes(peer));
        drop(offer.derive(&others).expect("keys"));
        let status = link.status().expect("a status");
        assert_eq!((status.no_own_epoch(), status.no_peer_epoch()), (own == 0, peer == 0));
    }
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 4);
}

#[test]
fn what_is_refused_is_an_error() {
    let mut model = Model::new();
    let mut link = Link::new(&mut model).expect("a link");
    assert_eq!(link.capabilities().block_bytes, 32);
    assert_eq!((link.capabilities().window, link.capabilities().max_frame), (128, 9600));
    assert_eq!(link.capabilities().min_frame, 14);
    for length in [0, 31, 33, 64] {
        let refused = link.set_master_key(&[1; 64][..length]).expect_err("a wrong length");
        assert_eq!(refused, Error::KeyLength { given: length, needed: 32 });
    }
    for other_epoch in [0, 1] {
        let offer = link.offer(Role::A, epoch(4)).expect("an offer");
        let mut own = *offer.identifier();
        own[23] ^= other_epoch;
        assert_eq!(offer.derive(&own).expect_err("its own"), Error::EqualIdentifiers);
    }
    let offer = link.offer(Role::A, epoch(5)).expect("an offer");
    let refused = offer.derive(&[9; 24]).expect_err("there is no master key");
    assert_eq!(refused, Error::Refused { offset: reg::CONTROL });
    link.set_master_key(&KEY).expect("a key");
    link.set_addresses([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]).expect("no session");
    let derived = link.offer(Role::B, epoch(6)).expect("an offer").derive(&[9; 24]).expect("keys");
    drop(derived);
    let refused = link.set_addresses([1; 6], [2; 6]).expect_err("there is a session");
    assert_eq!(refused, Error::Refused { offset: reg::DESTINATION });
    link.zeroise().expect("an erasure");
    assert!(!link.status().expect("a status").has_master());
}

#[test]
fn a_master_key_that_is_refused_is_an_error() {
    for silent in [false, true] {
        let mut model = Model { silent, ..Model::new() };
        let mut link = Link::new(&mut model).expect("a link");
        link.set_master_key(&KEY).expect("a key");
        drop(link.offer(Role::A, epoch(7)).expect("an offer").derive(&[9; 24]).expect("keys"));
        let refused = link.set_master_key(&[8; 32]).expect_err("there is a session");
        assert_eq!(refused, Error::Refused { offset: reg::MASTER_KEY });
        link.stop().expect("an erasure");
        link.set_master_key(&[8; 32]).expect("no session");
        assert_eq!(link.into_bus().master, [8; 32]);
    }
}

#[test]
fn another_device_is_none() {
    #[derive(Debug)]
    struct Zeros;
    impl Bus for Zeros {
        type Error = Infallible;
        fn read(&mut self, _: u16) -> Result<u32, Fault<Infallible>> {
            Ok(0)
        }
        fn write(&mut self, _: u16, _: u32) -> Result<(), Fault<Infallible>> {
            panic!("nothing is written to what is not known");
        }
    }
    assert_eq!(Link::new(Zeros).expect_err("no device"), Error::NoDevice { magic: 0 });
    let mut model = Model { version: 0x0201, ..Model::default() };
    assert_eq!(
        Link::new(&mut model).expect_err("another format"),
        Error::Version { found: 0x0201 }
    );
}

#[test]
fn numbers_of_64_bits_and_events() {
    let mut model = Model { events: 0x12, ..Model::new() };
    let mut link = Link::new(&mut model).expect("a link");
    assert_eq!(link.next_counter(), Ok(0x0123_4567_89ab_cdef));
    assert_eq!(link.counter(Counter::Tag), Ok(0x1_0000_0005));
    assert_eq!(link.counter(Counter::Sealed), Ok(0));
    link.set_rekey_limit(0x0102_0304_0506_0708).expect("a limit");
    link.enable_interrupts(Events(0x10)).expect("interrupts");
    assert_eq!(link.take_events(), Ok(Events(0x12)));
    assert_eq!(link.take_events(), Ok(Events(0)));
    let limit: Vec<_> = model.accesses.iter().filter(|a| matches!(a.1, 0x028 | 0x02c)).collect();
    assert_eq!(limit, [&('w', 0x028, 0x0506_0708), &('w', 0x02c, 0x0102_0304)]);
}

#[test]
fn a_device_that_does_not_end_is_stuck() {
    let mut model = Model { stuck: true, ..Model::new() };
    assert_eq!(Link::new(&mut model).expect_err("never ready"), Error::Stuck);
}

#[test]
fn the_counters_are_in_the_order_of_their_offsets() {
    assert!(Counter::ALL.iter().enumerate().all(|(i, counter)| *counter as usize == i));
    assert_eq!(Counter::ALL[0].name(), "sealed");
    assert_eq!(Counter::ALL.last().map(|counter| counter.name()), Some("tag"));
}
