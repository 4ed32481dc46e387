//! No branch and no index depends on a secret: keys, messages and everything computed from them.
//!
//! To be run under valgrind, which `scripts/constant-time` does: memcheck reports each place where
//! one does (see `testing::memcheck`). Public are lengths, nonces, associated data, ciphertexts,
//! tags once they are released, and the verdict. Run without valgrind, this is one more round trip.
//! Valgrind 3.19 has neither VAES, AVX-512 nor the SHA instructions, so the back ends are `soft`,
//! `ssse3` and `aesni`, which goes with AVX2 for hash functions; the wider ones run the same
//! generic code on wider registers. The kernels of the SHA instructions are never seen here.

mod common;

use core::hint::black_box;

use aead::consts::{U16, U32};
use polyseal::aegis::{Aegis, AegisMac, AegisStream, TagBytes, Variant, X128, X256};
use polyseal::any::{AnyAead, AnyMac};
use polyseal::batch::{Batch, Message};
use polyseal::flex::{Config, Flex, Mode, NonceForm, Profile};
use polyseal::gcm::{Aes256, Cmac, Counter, KcXaes256Gcm, kbkdf};
use polyseal::registry::{Algorithm, Kind};
use polyseal::testing::memcheck::{classify, declassify, errors, is_running};
use polyseal::testing::{
    Backend, Direction, Permutation, Width, aead_on, flex_on, mac_on, wide_block_on,
};
use polyseal::{Error, aead};

use common::{bytes, instances, rate};

/// Runs `computation` on the back ends that valgrind has; memcheck must have nothing to say.
fn silent(name: &str, computation: impl Fn(Backend)) {
    for wanted in ["soft", "ssse3", "aesni"] {
        // On another CPU than x86-64 there is only the first of them.
        if let Some(backend) = Backend::available().find(|b| b.name() == wanted) {
            let before = errors();
            computation(backend);
            assert_eq!(errors(), before, "{name} on {wanted}: see memcheck's report");
        }
    }
}

/// `count` secret bytes.
fn secret(seed: u64, count: usize) -> Vec<u8> {
    let mut secret = bytes(seed, count);
    classify(&mut secret);
    secret
}

/// The part of `computed` that the world may see.
fn released(mut computed: Vec<u8>) -> Vec<u8> {
    declassify(&mut computed);
    computed
}

fn lengths(algorithm: &Algorithm) -> [usize; 6] {
    let rate = rate(algorithm);
    [0, 5, 40, rate, rate + 17, 3 * rate + 1]
}

#[test]
fn secrets_of_aeads_are_kept() {
    for algorithm in instances(Kind::Aead) {
        silent(&algorithm.to_string(), |backend| {
            let key = secret(1, algorithm.key_bytes());
            let aead: AnyAead = aead_on(&algorithm, &key, backend).expect("an AEAD");
            let nonce = bytes(2, algorithm.nonce_bytes());
            for length in lengths(&algorithm) {
                let (ad, message) = (bytes(3, length / 2), secret(4, length));
                let mut sealed = released(aead.seal(&nonce, &ad, &message).expect("sealing"));
                let opened = aead.open(&nonce, &ad, &sealed).expect("opening");
                assert_eq!(released(opened), bytes(4, length), "{algorithm}");
                sealed[length] ^= 1;
                let refused = aead.open(&nonce, &ad, &sealed);
                assert_eq!(refused, Err(Error::Unauthentic), "{algorithm}");
            }
        });
    }
}

#[test]
fn secrets_of_macs_are_kept() {
    for algorithm in instances(Kind::Mac) {
        silent(&algorithm.to_string(), |backend| {
            let key = secret(1, algorithm.key_bytes());
            let mac: AnyMac = mac_on(&algorithm, &key, backend).expect("a MAC");
            let nonce = bytes(2, algorithm.nonce_bytes());
            for length in lengths(&algorithm) {
                let data = secret(3, length);
                let mut tag = released(mac.mac(&nonce, &data).expect("a tag"));
                assert_eq!(mac.verify(&nonce, &data, &tag), Ok(()), "{algorithm}");
                tag[9] ^= 1;
                let refused = mac.verify(&nonce, &data, &tag);
                assert_eq!(refused, Err(Error::Unauthentic), "{algorithm}");
            }
        });
    }
}

/// Permutations both ways, where each state is a secret.
#[test]
fn secrets_of_permutations_are_kept() {
    for permutation in Permutation::ALL {
        silent(permutation.name, |backend| {
            for width in [Width::One, Width::Many] {
                let mut blocks = secret(5, 11 * permutation.bytes);
                permutation.apply(backend, Direction::Forward, width, &mut blocks);
                permutation.apply(backend, Direction::Backward, width, &mut blocks);
                assert_eq!(released(blocks), bytes(5, 11 * permutation.bytes));
            }
        });
    }
}

/// Messages in pieces, which wait for the rest of their update, and the key stream.
#[test]
fn secrets_of_messages_in_pieces_are_kept() {
    fn keep<V: Variant, T: TagBytes>() {
        silent(core::any::type_name::<V>(), |backend| {
            let bytes_of_key = <AegisStream<V> as aead::KeySizeUser>::key_size();
            let key = secret(1, bytes_of_key);
            let key = key[..].try_into().expect("a key");
            let nonce = bytes(2, bytes_of_key);
            let nonce = nonce[..].try_into().expect("a nonce");

            let cipher = Aegis::<V, T>::with_backend(key, backend);
            let mut encryptor = cipher.encryptor(nonce, b"ad").expect("an encryptor");
            let mut ciphertext = secret(4, 200);
            for piece in ciphertext.chunks_mut(71) {
                encryptor.update(piece.into()).expect("an update");
            }
            let tag = encryptor.finalize();
            let ciphertext = released(ciphertext);
            let mut tag_bytes = tag.clone();
            declassify(&mut tag_bytes);

            let mut room = vec![0; 200];
            let mut decryptor = cipher.decryptor(nonce, b"ad", &mut room).expect("a decryptor");
            for piece in ciphertext.chunks(53) {
                decryptor.update(piece).expect("an update");
            }
            decryptor.finalize(&tag_bytes).expect("opening");
            assert_eq!(released(room), bytes(4, 200));

            let mac = AegisMac::<V, T>::with_backend(key, backend);
            let mut state = mac.start(nonce);
            for piece in secret(4, 200).chunks(71) {
                state.update(piece).expect("an update");
            }
            assert_eq!(state.verify(&tag_bytes), Err(Error::Unauthentic));

            let stream = AegisStream::<V>::with_backend(key, backend);
            let mut message = secret(5, 150);
            stream.apply(nonce, message.as_mut_slice().into()).expect("a key stream");
            stream.apply(nonce, message.as_mut_slice().into()).expect("a key stream");
            assert_eq!(released(message), bytes(5, 150));
        });
    }
    keep::<X128<1>, U16>();
    keep::<X128<2>, U32>();
    keep::<X256<1>, U32>();
    keep::<X256<4>, U16>();
}

/// CMAC and KBKDF, whose output is a key.
#[test]
fn secrets_of_building_blocks_are_kept() {
    silent("CMAC", |backend| {
        let key = secret(1, 32);
        let cmac = Cmac::<Aes256>::with_backend(key[..].try_into().expect("a key"), backend);
        for length in [0, 5, 16, 33, 100] {
            let data = secret(2, length);
            let mut state = cmac.start();
            data.chunks(7).for_each(|piece| state.update(piece));
            let mut tag = state.finalize();
            declassify(&mut tag);
            assert_eq!(cmac.verify(&data, &tag), Ok(()));
            tag[9] ^= 1;
            assert_eq!(cmac.verify(&data, &tag), Err(Error::Unauthentic));
        }
        for counter in [Counter::Before(2), Counter::Behind(1)] {
            let mut output = [0; 40];
            kbkdf(&cmac, counter, b"fixed", &mut output).expect("a key");
            assert_ne!(released(output.to_vec()), [0; 40]);
        }
    });
}

/// GCM in pieces, under a derived key.
#[test]
fn secrets_of_pieces_of_gcm_are_kept() {
    silent("KC-XAES", |backend| {
        let key = secret(1, 32);
        let key = key[..].try_into().expect("a key");
        let (cipher, nonce) = (KcXaes256Gcm::with_backend(key, backend), [2; 24].into());
        let mut encryptor = cipher.encryptor(&nonce, b"ad").expect("an encryptor");
        let mut ciphertext = secret(4, 700);
        for piece in ciphertext.chunks_mut(271) {
            encryptor.update(piece.into()).expect("an update");
        }
        let mut tag = encryptor.finalize();
        declassify(&mut tag);
        let ciphertext = released(ciphertext);

        let mut room = vec![0; 700];
        let mut decryptor = cipher.decryptor(&nonce, b"ad", &mut room).expect("a decryptor");
        for piece in ciphertext.chunks(53) {
            decryptor.update(piece).expect("an update");
        }
        decryptor.finalize(&tag).expect("opening");
        assert_eq!(released(room), bytes(4, 700));
    });
}

/// Messages side by side, four of every length; one of them is forged.
#[test]
fn secrets_of_batches_are_kept() {
    const FORGED: usize = 14;
    let keep = |name: &str, step: usize| {
        let algorithm: Algorithm = name.parse().expect(name);
        silent(name, |backend| {
            let key = secret(1, algorithm.key_bytes());
            let cipher = aead_on(&algorithm, &key, backend).expect("an AEAD");
            let length = |i: u64| step * (i / 4) as usize;
            let nonces: Vec<_> = (0..36).map(|i| bytes(10 + i, algorithm.nonce_bytes())).collect();
            let mut buffers: Vec<_> = (0..36).map(|i| secret(50 + i, length(i))).collect();
            let mut tags = vec![vec![0; algorithm.tag_bytes()]; 36];
            let each = nonces.iter().zip(&mut buffers).zip(&mut tags);
            let mut messages: Vec<_> = each
                .map(|((nonce, buffer), tag)| Message::new(nonce, b"ad", buffer, tag))
                .collect();
            cipher.seal_batch(&mut messages).expect("sealing");
            for message in &mut messages {
                declassify(message.buffer);
                declassify(message.tag);
            }
            let forged = messages[FORGED].tag.last_mut().expect("a tag");
            *forged ^= 1;
            assert_eq!(cipher.open_batch(&mut messages), Err(Error::Unauthentic));
            for (i, message) in messages.iter().enumerate() {
                assert_eq!(message.outcome.is_ok(), i != FORGED);
            }
            for (i, buffer) in (0..).zip(buffers).filter(|&(i, _)| i != FORGED as u64) {
                assert_eq!(released(buffer), bytes(50 + i, length(i)));
            }
        });
    };
    keep("kc-xaes-256-gcm", 7);
    keep("xaes-256-gcm", 7);
    keep("aegis-128l", 7);
    keep("aegis-256:tag=32", 7);
    // Up to three blocks and one begun.
    keep("omd-sha256", 13);
    keep("omd-sha512", 25);
    keep("omd-blake2b", 25);
}

/// Seals, opens and refuses. A nonce that is hidden is a secret, too.
fn keep_flex(flex: &Flex, ad_bytes: usize, length: usize) {
    let (config, ad, message) = (*flex.config(), bytes(3, ad_bytes), secret(4, length));
    let name = format!("{config:?}, {length} bytes");
    let public = bytes(2, 24.min(*config.nonce_range().end()));
    let mut nonce = public.clone();
    let hides = config.hidden_bytes() > 0;
    if hides {
        classify(&mut nonce);
    }
    let told = if hides { &[][..] } else { &public };
    let mut sealed = released(flex.seal(&nonce, &ad, &message).expect(&name));
    let mut opened = flex.open(told, &ad, &sealed).expect(&name);
    assert_eq!(released(opened.message.to_vec()), bytes(4, length), "{name}");
    declassify(&mut opened.nonce);
    assert_eq!(opened.nonce, public, "{name}");
    for at in [0, sealed.len() - 1] {
        sealed[at] ^= 1;
        let refused = flex.open(told, &ad, &sealed).map(drop);
        assert_eq!(refused, Err(Error::Unauthentic), "{name}");
    }
}

/// Every branch that lengths choose, in every mode over every permutation.
#[test]
fn secrets_of_flex_are_kept() {
    for profile in Profile::ALL {
        let b = profile.block_bytes();
        for mode in [Mode::Och, Mode::Civ, Mode::Robust, Mode::RobustAe] {
            for form in [NonceForm::Hidden(8), NonceForm::Public(24)] {
                let builder = Config::builder(mode).profile(profile).nonce(form).allow_64_bits();
                let config = builder.build().expect("a configuration");
                silent(&format!("{config:?}"), |backend| {
                    let flex = flex_on(backend, config, &secret(1, 32), b"setup").expect("a key");
                    for length in [0, 1, b - 9, b, 2 * b - 8, 2 * b - 1, 18 * b + 3] {
                        keep_flex(&flex, length % 5, length);
                    }
                });
            }
        }
    }
}

/// Long inputs: keys and associated data, which are hashed in a tree; streams; more blocks than
/// have masks from one value.
#[test]
fn secrets_of_flex_at_length_are_kept() {
    for profile in [Profile::S512, Profile::S256, Profile::K1600] {
        for mode in [Mode::Och, Mode::Civ, Mode::Robust, Mode::RobustAe] {
            let builder = Config::builder(mode).profile(profile).allow_64_bits();
            let builder = builder.nonce(NonceForm::AnyPublic);
            let plain = builder.build().expect("a configuration");
            let hashed = builder.prehash_setup_ad().build().expect("a configuration");
            silent(&format!("{plain:?}"), |backend| {
                let setup_ad = bytes(5, 700);
                for (config, key_bytes) in [(plain, 1000), (hashed, 16)] {
                    let key = secret(1, key_bytes);
                    let flex = flex_on(backend, config, &key, &setup_ad).expect("a key");
                    keep_flex(&flex, 5000, 30);
                    keep_flex(&flex, 300, 130 * profile.block_bytes() + 7);
                }
                if matches!(mode, Mode::Och | Mode::Civ) {
                    let config = builder.segment_bytes(256).build().expect("a stream");
                    let flex = flex_on(backend, config, &secret(1, 32), b"").expect("a key");
                    [0, 256, 700].into_iter().for_each(|length| keep_flex(&flex, 9, length));
                }
            });
        }
    }
}

/// The wide-block cipher by itself: strings of every short length, whose stretch is a secret until
/// it has been compared.
#[test]
fn secrets_of_wide_blocks_are_kept() {
    for (profile, number) in Profile::ALL.into_iter().zip(1..) {
        for stretch in [0, 16] {
            silent(&format!("{profile:?} with {stretch}"), |backend| {
                let cfg = [3, 0, number, stretch, 8, 0, 0, 0];
                let cipher = wide_block_on(backend, cfg, &secret(1, 32), b"").expect("a key");
                for length in [0, 1, 2, 3, 5, 17, profile.block_bytes() + 1] {
                    let message = secret(4, length);
                    let mut sealed =
                        released(cipher.encipher(&[2; 8], b"", &message).expect("a cipher"));
                    let opened = cipher.decipher(&[2; 8], b"", &sealed).expect("a cipher");
                    assert_eq!(released(opened.message.to_vec()), bytes(4, length));
                    if let Some(last) = sealed.last_mut() {
                        *last ^= 1;
                        let opened = cipher.decipher(&[2; 8], b"", &sealed);
                        assert_eq!(opened.is_ok(), stretch == 0);
                    }
                }
            });
        }
    }
}

/// The test can fail: an index on a secret, and a branch on one, are reported. (Without valgrind
/// nothing is.)
#[test]
fn leak_by_index_is_reported() {
    let (table, before) = (black_box([7_u8; 256]), errors());
    let looked_up = table[usize::from(black_box(secret(1, 1))[0])];
    assert_eq!(released(vec![looked_up]), [7]);
    assert_eq!(errors() > before, is_running());
}

#[test]
fn leak_by_branch_is_reported() {
    let (key, before) = (secret(1, 16), errors());
    // A comparison that ends at the first difference, as `==` may.
    let equal = key.iter().zip(&[0_u8; 16]).all(|(a, b)| black_box(a) == black_box(b));
    assert!(!black_box(equal));
    assert_eq!(errors() > before, is_running());
}
