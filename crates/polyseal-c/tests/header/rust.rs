//! From the library's sources to C: functions, structures, and their documentation.

use std::fmt::Write;

use quote::ToTokens;
use syn::{Attribute, Block, Expr, Fields, FnArg, Item, ItemFn, Lit, Meta, Stmt, Type};

const COLUMNS: usize = 79;

/// A file of the library.
pub(crate) struct Source(syn::File);

impl Source {
    pub(crate) fn parse(text: &str) -> Self {
        Self(syn::parse_file(text).expect("Rust"))
    }

    fn exported(&self) -> impl Iterator<Item = &ItemFn> {
        self.0.items.iter().filter_map(|item| match item {
            Item::Fn(function) if is_exported(&function.attrs) => Some(function),
            _ => None,
        })
    }

    /// The functions for C, and their bodies.
    pub(crate) fn functions(&self) -> Vec<(String, Block)> {
        self.exported().map(|f| (f.sig.ident.to_string(), (*f.block).clone())).collect()
    }

    /// The bodies of the functions for C that macros make.
    pub(crate) fn macro_functions(&self) -> Vec<String> {
        let mut bodies = Vec::new();
        for item in &self.0.items {
            if let Item::Macro(definition) = item {
                let text = definition.mac.tokens.to_string();
                for (at, _) in text.match_indices("extern \"C\" fn") {
                    let rest = &text[at..];
                    let start = rest.find('{').expect("a body");
                    bodies.push(block(&rest[start..]).to_owned());
                }
            }
        }
        bodies
    }

    pub(crate) fn prototypes(&self) -> String {
        let mut text = String::new();
        for function in self.exported() {
            text.push_str(&comment(&documentation(&function.attrs), ""));
            text.push_str(&prototype(function));
            text.push('\n');
        }
        text
    }

    fn fields(&self, name: &str) -> Option<(&[Attribute], Vec<&syn::Field>)> {
        self.0.items.iter().find_map(|item| match item {
            Item::Struct(s) if s.ident == name => match &s.fields {
                Fields::Named(fields) => Some((&s.attrs[..], fields.named.iter().collect())),
                _ => None,
            },
            _ => None,
        })
    }

    pub(crate) fn structure(&self, name: &str) -> Option<String> {
        let (attributes, fields) = self.fields(name)?;
        let is_c = attributes.iter().any(|a| a.to_token_stream().to_string().contains("repr (C)"));
        assert!(is_c, "{name} is not laid out as C does");
        let mut text = comment(&documentation(attributes), "");
        writeln!(text, "typedef struct {name} {{").unwrap();
        for field in fields {
            text.push_str(&comment(&documentation(&field.attrs), "    "));
            let ident = field.ident.as_ref().expect("a name").to_string();
            writeln!(text, "    {};", declaration(&field.ty, &ident)).unwrap();
        }
        writeln!(text, "}} {name};").unwrap();
        Some(text)
    }

    /// A macro with a value for each field: the size, then zeros.
    pub(crate) fn initialiser(&self, name: &str) -> String {
        let (_, fields) = self.fields(name).expect(name);
        let mut values = vec![format!("sizeof({name})")];
        for field in &fields[1..] {
            values.push(if matches!(field.ty, Type::Ptr(_)) { "NULL" } else { "0" }.to_owned());
        }
        let mut text = format!("#define {}_INIT", name.to_uppercase());
        text.push_str(&" ".repeat(COLUMNS - 1 - text.len()));
        text.push_str("\\\n");
        let body = wrap(&format!("{{ {} }}", values.join(", ")), COLUMNS - 6);
        let lines: Vec<String> = body.iter().map(|line| format!("    {line}")).collect();
        for (i, line) in lines.iter().enumerate() {
            let last = i + 1 == lines.len();
            let pad = if last { 0 } else { COLUMNS - 1 - line.len() };
            writeln!(text, "{line}{}{}", " ".repeat(pad), if last { "" } else { "\\" }).unwrap();
        }
        text
    }
}

fn is_exported(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.to_token_stream().to_string().contains("no_mangle"))
}

/// Whether a panic cannot leave the function: it is one call that stops it, behind items at most.
pub(crate) fn begins_with_catch_panic(body: &Block) -> bool {
    let mut statements = body.stmts.iter().filter(|statement| !matches!(statement, Stmt::Item(_)));
    match (statements.next(), statements.next()) {
        (Some(Stmt::Expr(Expr::Unsafe(block), _)), None) => begins_with_catch_panic(&block.block),
        (Some(Stmt::Expr(Expr::Call(call), _)), None) => {
            let function = call.func.to_token_stream().to_string();
            ["catch_panic", "catch_panic_or", "hand_over", "release"].contains(&&*function)
        }
        _ => false,
    }
}

/// The text up to the brace that belongs to the first one.
fn block(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..=at];
        }
    }
    panic!("a brace that is not closed");
}

/// The paragraphs of a documentation comment.
fn documentation(attributes: &[Attribute]) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for attribute in attributes.iter().filter(|a| a.path().is_ident("doc")) {
        let Meta::NameValue(meta) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &meta.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        match line.value().trim() {
            "" => paragraphs.push(String::new()),
            line => {
                let paragraph = paragraphs.last_mut().expect("a paragraph");
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line);
            }
        }
    }
    assert!(!paragraphs[0].is_empty(), "something for C has no documentation");
    paragraphs
}

/// Lines of at most so many columns.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Paragraphs as a comment. C's readers may have no Unicode.
pub(crate) fn comment(paragraphs: &[String], indent: &str) -> String {
    let plain = |text: &String| text.replace('−', "-").replace('…', "...").replace('’', "'");
    let paragraphs: Vec<String> = paragraphs.iter().map(plain).collect();
    for paragraph in &paragraphs {
        assert!(paragraph.is_ascii(), "not ASCII: {paragraph}");
    }
    let room = COLUMNS - indent.len() - 3;
    if let [text] = &paragraphs[..]
        && text.len() + 3 <= room
    {
        return format!("{indent}/* {text} */\n");
    }
    let mut lines = Vec::new();
    for paragraph in &paragraphs {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(wrap(paragraph, room));
    }
    let mut text = format!("{indent}/*\n");
    for line in lines {
        let line = format!("{indent} * {line}");
        writeln!(text, "{}", line.trim_end()).unwrap();
    }
    writeln!(text, "{indent} */").unwrap();
    text
}

fn prototype(function: &ItemFn) -> String {
    let signature = &function.sig;
    let abi = signature.abi.to_token_stream().to_string();
    assert_eq!(abi, "extern \"C\"", "{}", signature.ident);
    let parameters: Vec<String> = signature
        .inputs
        .iter()
        .map(|input| match input {
            FnArg::Typed(input) => declaration(&input.ty, &input.pat.to_token_stream().to_string()),
            FnArg::Receiver(_) => panic!("a method"),
        })
        .collect();
    // A parameter stays whole.
    let parameters = match &parameters[..] {
        [] => "void".to_owned(),
        some => some.join(",\u{2}").replace(' ', "\u{1}").replace('\u{2}', " "),
    };
    let result = match &signature.output {
        syn::ReturnType::Default => "void ".to_owned(),
        syn::ReturnType::Type(_, ty) => declaration(ty, ""),
    };
    let start = format!("{result}{}(", signature.ident);
    let one = format!("{start}{parameters});");
    if one.len() <= COLUMNS {
        return one.replace('\u{1}', " ") + "\n";
    }
    // And so do pairs of a buffer and its length.
    let lines = wrap(&parameters.replace(", size_t", ",\u{1}size_t"), COLUMNS - 6);
    let lines: Vec<String> = lines.iter().map(|line| line.replace('\u{1}', " ")).collect();
    format!("{start}\n    {});\n", lines.join("\n    "))
}

/// A name with its type, or a type with a space or star behind it.
fn declaration(ty: &Type, name: &str) -> String {
    let text = ty.to_token_stream().to_string();
    if text.starts_with("Option") {
        let arguments = "void *ctx, uint8_t *buf, size_t len, uint64_t offset";
        let expected = "Option < unsafe extern \"C\" fn (ctx : * mut c_void , buf : * mut u8 , \
                        len : usize , offset : u64) -> i64 , >";
        assert_eq!(text, expected, "only one function of C's is known here");
        return format!("int64_t (*{name})({arguments})");
    }
    if let Some(array) = text.strip_prefix("[c_char ; ") {
        return format!("char {name}[{}", array.replace(' ', ""));
    }
    let mut stars = 0;
    let mut rest = text.as_str();
    let mut constant = false;
    while let Some(pointed) = rest.strip_prefix("* ") {
        stars += 1;
        let (is_mut, behind) = match pointed.strip_prefix("mut ") {
            Some(behind) => (true, behind),
            None => (false, pointed.strip_prefix("const ").expect("a pointer")),
        };
        assert!(is_mut || stars == 1, "{text}");
        constant |= !is_mut;
        rest = behind;
    }
    let base = match rest {
        "u8" => "uint8_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "usize" => "size_t",
        "c_char" => "char",
        "c_int" => "int",
        "c_void" => "void",
        ours if ours.starts_with("polyseal_") => ours,
        other => panic!("no type of C is known for {other}"),
    };
    format!("{}{base} {}{name}", if constant { "const " } else { "" }, "*".repeat(stars))
}
