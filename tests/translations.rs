//! Checks that messages for users have a Chinese translation, and that errors do not repeat their causes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::parse::ParseStream;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprCall, ExprMethodCall, Fields, ItemFn, ItemMod, ItemStruct, Lit, LitStr,
    Macro, Variant,
};

use crate::architecture::is_for_tests;

/// Functions and methods whose arguments are messages for users.
const PRINTERS: [&str; 30] = [
    "Ending::loss",
    "EngineFailure::Other",
    "Failure::new",
    "Failure::message",
    "Failure::usage",
    "JournalError::OtherTournament",
    "JournalError::Unusable",
    "OpeningError",
    "RecipeError",
    "ServerError::parameter",
    "SettingError::new",
    "context",
    "heads",
    "note",
    "print",
    "print_if_read",
    "print_line",
    "print_text",
    "refuse_if",
    "register_bar",
    "report",
    "require_valid",
    "tolerated",
    "translated",
    "unclear",
    "unclear_unless",
    "violated",
    "violated_unless",
    "x_desc",
    "io::Error::other",
];

/// Messages that need no entry of their own: the name of a command, and messages that the table contains together with
/// the text that follows them.
const EXCEPTIONS: [&str; 3] =
    ["egtb probe", "engine {} reports", "{} written, {} already known, {} added{}"];

/// The messages in a source file, except in tests.
#[derive(Default)]
struct Messages {
    found: BTreeSet<String>,
    /// Whether the current expression is an argument of a printer.
    is_printed: bool,
}

impl Messages {
    /// Adds each line of a literal, with `{}` for each value.
    fn add(&mut self, text: &str) {
        for line in text.lines() {
            let mut normal = String::new();
            let mut rest = line.trim();
            while let Some((before, after)) = rest.split_once('{') {
                normal += before;
                match after.split_once('}') {
                    Some((_, after)) => {
                        normal += "{}";
                        rest = after;
                    }
                    None => rest = after,
                }
            }
            normal += rest;
            self.found.insert(normal);
        }
    }

    /// Adds the literal at the beginning of the arguments of a macro or attribute, and skips the other arguments.
    fn add_first(&mut self, arguments: ParseStream<'_>) -> syn::Result<()> {
        if let Ok(text) = arguments.parse::<LitStr>() {
            self.add(&text.value());
        }
        arguments.step(|cursor| {
            let mut rest = *cursor;
            while let Some((_, next)) = rest.token_tree() {
                rest = next;
            }
            Ok(((), rest))
        })
    }

    /// Visits an expression. Its literals are messages if `is_printed` or if it is in an argument of a printer.
    fn visit_printed(&mut self, is_printed: bool, visit: impl FnOnce(&mut Self)) {
        let before = self.is_printed;
        self.is_printed |= is_printed;
        visit(self);
        self.is_printed = before;
    }
}

impl<'a> Visit<'a> for Messages {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if attribute.path().is_ident("error") {
            attribute.parse_args_with(|input: ParseStream<'_>| self.add_first(input)).unwrap();
        }
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let name = match &*call.func {
            Expr::Path(path) => {
                let names = path.path.segments.iter().map(|s| s.ident.to_string());
                names.collect::<Vec<_>>().join("::")
            }
            _ => String::new(),
        };
        self.visit_printed(PRINTERS.contains(&name.as_str()), |this| {
            visit::visit_expr_call(this, call)
        });
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        self.visit_expr(&call.receiver);
        let name = call.method.to_string();
        self.visit_printed(PRINTERS.contains(&name.as_str()), |this| {
            call.args.iter().for_each(|argument| this.visit_expr(argument));
        });
    }

    fn visit_macro(&mut self, called: &'a Macro) {
        let is_format = called.path.is_ident("format") || called.path.is_ident("format_args");
        if self.is_printed && is_format {
            called.parse_body_with(|input: ParseStream<'_>| self.add_first(input)).unwrap();
        }
    }

    fn visit_lit(&mut self, literal: &'a Lit) {
        if let (true, Lit::Str(text)) = (self.is_printed, literal) {
            self.add(&text.value());
        }
    }
}

/// Collects the source files below a directory, except `tests.rs` and the directories `tests`.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether a text has at least two words besides code and options.
fn has_words(text: &str) -> bool {
    let outside_code = text.split('`').step_by(2);
    let tokens = outside_code.flat_map(str::split_whitespace);
    let words = tokens.filter(|token| {
        let word = token.trim_matches(|c: char| c.is_ascii_punctuation());
        word.len() > 1 && !token.starts_with('-') && word.chars().all(|c| c.is_ascii_alphabetic())
    });
    words.count() > 1
}

#[test]
fn messages_have_a_chinese_translation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let table: BTreeSet<String> = chuhe::text::translated_texts().into_iter().collect();
    let (mut missing, mut count) = (Vec::new(), 0);
    for path in files {
        let mut messages = Messages::default();
        let text = fs::read_to_string(&path).unwrap();
        messages.visit_file(&syn::parse_file(&text).unwrap());
        count += messages.found.len();
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let is_known = |message: &str| table.contains(message) || EXCEPTIONS.contains(&message);
        let unknown = messages.found.iter().filter(|m| has_words(m) && !is_known(m));
        missing.extend(unknown.map(|message| format!("{name}: {message}")));
    }
    assert!(count > 300, "only {count} messages are recognized");
    let missing = missing.join("\n");
    assert!(missing.is_empty(), "not in src/text/chinese.txt:\n{missing}");
}

/// The errors with a message of their own and with a source, and the number of all errors with a source.
#[derive(Default)]
struct ErrorSources {
    with_message: Vec<String>,
    count: usize,
}

impl ErrorSources {
    fn add(&mut self, name: &syn::Ident, attributes: &[Attribute], fields: &Fields) {
        let is_source =
            |a: &Attribute| ["from", "source"].iter().any(|name| a.path().is_ident(name));
        let is_error = attributes.iter().any(|a| a.path().is_ident("error"));
        let is_named_source = |name: &syn::Ident| is_error && name == "source";
        let has_source = fields.iter().any(|field| {
            field.attrs.iter().any(is_source) || field.ident.as_ref().is_some_and(is_named_source)
        });
        if has_source {
            self.count += 1;
            let is_transparent = |a: &Attribute| {
                let argument = a.parse_args::<syn::Path>();
                a.path().is_ident("error") && argument.is_ok_and(|p| p.is_ident("transparent"))
            };
            if !attributes.iter().any(is_transparent) {
                self.with_message.push(name.to_string());
            }
        }
    }
}

impl<'a> Visit<'a> for ErrorSources {
    fn visit_variant(&mut self, variant: &'a Variant) {
        self.add(&variant.ident, &variant.attrs, &variant.fields);
    }

    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        self.add(&item.ident, &item.attrs, &item.fields);
    }
}

/// The messages contain the cause, so programs that print an error and its sources would print the cause twice.
#[test]
fn errors_with_a_message_return_no_source() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut errors = ErrorSources::default();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        errors.visit_file(&syn::parse_file(&text).unwrap());
    }
    assert!(errors.count > 10, "only {} errors with a source are recognized", errors.count);
    assert!(errors.with_message.is_empty(), "{:?}", errors.with_message);
}
