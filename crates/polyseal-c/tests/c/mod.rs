//! The library from C: its header and its code as a compiler of C has them.
//!
//! Each program in `tests/c` and `examples`, and each in `docs/c.md`, is compiled with all warnings
//! as errors, linked with the library, and run. `CC` and `CXX` name the compilers, `CFLAGS` what
//! else they are told, and `POLYSEAL_C_RUNNER` a program that runs programs, such as valgrind.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

mod compiler;
mod flat;
#[cfg(feature = "kms")]
mod kms;
mod supercop;

use std::fs;

use compiler::{Language, Linked, Program, folder, scratch};
use supercop::Primitive;

/// Every program in a folder.
fn programs(of: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder().join(of))
        .expect(of)
        .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
        .filter(|name| name.ends_with(".c"))
        .collect();
    names.sort();
    names
}

/// A part of the output of each example.
const EXAMPLES: [(&str, &str); 6] = [
    ("file.c", "of 29 bytes: happy"),
    ("prepared.c", "55 bytes sealed: a third"),
    ("seal.c", "attack at dawn\naltered: not authentic"),
    ("source.c", "a record:  1234, for which 4112 of "),
    ("streaming.c", "It was a dark and stormy night."),
    ("wide_block.c", "512 bytes: data"),
];

#[test]
fn every_example_compiles_and_runs_in_c_and_in_cpp() {
    assert_eq!(programs("examples"), EXAMPLES.map(|(name, _)| name));
    for (name, expected) in EXAMPLES {
        let file = folder().join("examples").join(name);
        let place = scratch(&format!("example-{name}"));
        for language in [Language::C99, Language::Cpp11] {
            let program = Program::compile(&file, language, Linked::Shared, &place, &[]);
            let output = program.run(&[], &place);
            assert!(output.contains(expected), "{name}: {output}");
        }
    }
}

#[test]
fn the_programs_of_the_page_compile_and_run() {
    let page = fs::read_to_string(folder().join("../../docs/c.md")).expect("docs/c.md");
    let blocks: Vec<&str> =
        page.split("\n```c\n").skip(1).map(|b| b.split("\n```").next().unwrap()).collect();
    let programs: Vec<&str> = blocks.iter().copied().filter(|b| b.contains("int main(")).collect();
    assert!(programs.len() >= 3, "only {} programs", programs.len());
    assert_eq!(blocks.len(), programs.len(), "every block in C is a whole program");
    let place = scratch("page");
    for (i, program) in programs.iter().enumerate() {
        let file = place.join(format!("page{i}.c"));
        fs::write(&file, format!("{program}\n")).expect("a program");
        let program = Program::compile(&file, Language::C99, Linked::Shared, &place, &[]);
        program.run(&[], &place);
    }
}

#[test]
fn the_header_alone_is_c_and_cpp() {
    let place = scratch("header");
    let file = place.join("alone.c");
    fs::write(&file, "#include <polyseal.h>\nint main(void) { return 0; }\n").expect("a program");
    for language in [Language::C99, Language::Cpp11] {
        Program::compile(&file, language, Linked::Shared, &place, &[]).run(&[], &place);
    }
}

#[test]
fn every_function_of_the_header_is_in_the_static_library_and_the_sizes_agree() {
    let place = scratch("sizes");
    fs::write(place.join("list.inc"), flat::list()).expect("the list");
    let file = folder().join("tests/c/sizes.c");
    let program = Program::compile(&file, Language::C99, Linked::Static, &place, &[&place]);
    program.run(&[], &place);
}

#[test]
fn every_vector_through_every_function() {
    let place = scratch("vectors");
    fs::write(place.join("list.inc"), flat::list()).expect("the list");
    let (vectors, count) = flat::vectors();
    // Those with a hidden nonce, by each name: their tags are within the ciphertext.
    for name in ["flex:cfg=", "och-areion-p ", "och-areion-s "] {
        assert!(vectors.contains(&format!("\naead {name}")), "no vector of {name}");
    }
    let list = place.join("vectors.txt");
    fs::write(&list, vectors).expect("the vectors");
    let file = folder().join("tests/c/vectors.c");
    let program = Program::compile(&file, Language::C99, Linked::Shared, &place, &[&place]);
    let output = program.run(&[list.to_str().expect("a path")], &place);
    assert_eq!(output.trim(), format!("{count} vectors"));
    assert!(count > 6000, "only {count} vectors");
}

#[test]
fn every_implementation_for_supercop_passes_its_test() {
    let source = folder().join("tests/c/supercop.c");
    let (vectors, _) = flat::vectors();
    let primitives = Primitive::all();
    for primitive in &primitives {
        let name = &primitive.name;
        primitive.check_files();
        let place = scratch(&format!("supercop/{name}"));
        fs::write(place.join("crypto_aead.h"), primitive.header()).expect("the header");
        let includes = [&*place, &primitive.opt()];
        let program = Program::compile(&source, Language::C99, Linked::Shared, &place, &includes);
        for size in ["small", "big"] {
            assert_eq!(program.run(&[size], &place), primitive.checksum(size), "{name}, {size}");
        }
        let answers = primitive.answers(&vectors);
        fs::write(place.join("answers.txt"), answers.join("\n")).expect("the answers");
        assert!(answers.len() > 15, "{name}: {} known answers", answers.len());
        let found = program.run(&["answers.txt"], &place);
        assert_eq!(found.trim(), answers.len().to_string(), "{name}");
    }
    assert!(primitives.len() >= 10, "{} primitives", primitives.len());
}

#[test]
fn every_file_of_the_kit_has_its_outcome() {
    let place = scratch("kit");
    let (lines, count) = flat::files();
    let list = place.join("files.txt");
    fs::write(&list, lines).expect("the list");
    let file = folder().join("tests/c/kit.c");
    let program = Program::compile(&file, Language::C99, Linked::Shared, &place, &[]);
    let output = program.run(&[list.to_str().expect("a path")], &place);
    assert_eq!(output.trim(), format!("{count} files"));
    assert!(count > 150, "only {count} files");
}

#[test]
fn misuse_is_an_error_and_nothing_else() {
    run("misuse.c");
}

#[test]
fn whole_files_and_parts_of_them() {
    run("files.c");
}

#[test]
fn files_as_the_system_has_them() {
    run("system.c");
}

#[test]
fn other_recipients_and_what_a_file_says() {
    run("rekey.c");
}

#[test]
fn the_header_of_a_library_with_less_declares_less() {
    run("fewer.c");
}

#[test]
fn threads_share_keys_and_files() {
    run("threads.c");
}

#[cfg(feature = "kms")]
#[test]
fn keys_that_live_elsewhere() {
    let place = scratch("kms");
    kms::prepare(&place);
    let file = folder().join("tests/c/kms.c");
    let program = Program::compile(&file, Language::C99, Linked::Shared, &place, &[]);
    let path = format!("{}:/usr/bin:/bin", place.join("bin").display());
    program.run(&[&path], &place);
    // One for team.wrapped, however many files; and one for each that gives no key.
    assert_eq!(kms::lookups(&place), 3);
}

fn run(name: &str) {
    let place = scratch(name);
    let file = folder().join("tests/c").join(name);
    Program::compile(&file, Language::C99, Linked::Shared, &place, &[]).run(&[], &place);
}
