//! Checks the module order of the crate docs: a module imports only from itself and from modules further left, and
//! no files import each other in a cycle. Also checks that the table of the files that run a command lists existing
//! files, at most 15.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, ItemMod, ItemUse, UseTree, Visibility};

/// The names of a path, from the crate root unless stated otherwise.
type ModulePath = Vec<String>;

/// The imports of a source file, except in tests.
#[derive(Default)]
struct Imports {
    /// The paths in imports and in the code, as written, including `crate::` and `super::`.
    used: Vec<ModulePath>,
    /// The paths of the re-exported items, as written, by name.
    reexports: BTreeMap<String, ModulePath>,
    /// Modules that exist only in tests.
    test_modules: Vec<String>,
}

/// Whether an item has the attribute `cfg(test)`. Combinations such as `cfg(all(test, …))` do not count.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_cfg_test = |a: &Attribute| {
        a.path().is_ident("cfg") && a.parse_args::<syn::Path>().is_ok_and(|p| p.is_ident("test"))
    };
    attributes.iter().any(is_cfg_test)
}

/// Collects the name and the path of each item of an import tree.
fn leaves(tree: &UseTree, before: &ModulePath, found: &mut Vec<(String, ModulePath)>) {
    let with = |name: &dyn ToString| [&before[..], &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), found),
        UseTree::Group(group) => group.items.iter().for_each(|t| leaves(t, before, found)),
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        UseTree::Name(name) => found.push((name.ident.to_string(), with(&name.ident))),
        UseTree::Rename(rename) => found.push((rename.rename.to_string(), with(&rename.ident))),
        UseTree::Glob(_) => found.push(("*".to_owned(), before.clone())),
    }
}

impl<'a> Visit<'a> for Imports {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        } else if module.content.is_none() {
            self.test_modules.push(module.ident.to_string());
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let mut found = Vec::new();
        leaves(&item.tree, &Vec::new(), &mut found);
        match item.vis {
            Visibility::Inherited => self.used.extend(found.into_iter().map(|(_, path)| path)),
            _ => {
                // A module may re-export items of its children, which import from it.
                let upward = |path: &&ModulePath| matches!(path[0].as_str(), "crate" | "super");
                self.used.extend(found.iter().map(|(_, path)| path).filter(upward).cloned());
                self.reexports.extend(found);
            }
        }
    }

    /// `pub(super)` names a module without importing from it.
    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|s| s.ident.to_string());
        self.used.push(names.collect());
        visit::visit_path(self, path);
    }
}

/// The imports of each module of the crate.
struct Source(BTreeMap<ModulePath, Imports>);

impl Source {
    fn read() -> Self {
        let mut source = Self(BTreeMap::new());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        source.read_directory(&root, &Vec::new());
        let for_tests: Vec<ModulePath> = (source.0.iter())
            .flat_map(|(module, imports)| {
                let with = |name: &String| [&module[..], std::slice::from_ref(name)].concat();
                imports.test_modules.iter().map(with).collect::<Vec<_>>()
            })
            .collect();
        source.0.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        source
    }

    fn read_directory(&mut self, directory: &Path, module: &ModulePath) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let inside = [&module[..], &[name.to_owned()]].concat();
            if path.is_dir() {
                self.read_directory(&path, &inside);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let module = match name {
                    "mod" => module.clone(),
                    "lib" | "main" => continue,
                    _ => inside,
                };
                let mut imports = Imports::default();
                let text = fs::read_to_string(&path).unwrap();
                imports.visit_file(&syn::parse_file(&text).unwrap());
                self.0.insert(module, imports);
            }
        }
    }

    /// The path from the crate root for a path in a module; `None` if it is outside the crate.
    fn absolute(&self, module: &ModulePath, path: &ModulePath) -> Option<ModulePath> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat()),
            child => {
                let inside = [&module[..], &[child.to_owned()]].concat();
                let path = || [&module[..], path].concat();
                self.0.contains_key(&inside).then(path)
            }
        }
    }

    /// The module that defines the item of a path, following re-exports.
    fn defining_module(&self, path: &ModulePath) -> Option<ModulePath> {
        let length = (1..=path.len()).rev().find(|n| self.0.contains_key(&path[..*n]))?;
        let module = path[..length].to_vec();
        let Some(name) = path.get(length) else {
            return Some(module);
        };
        match self.0[&module].reexports.get(name) {
            Some(reexport) => self.defining_module(&self.absolute(&module, reexport)?),
            None => Some(module),
        }
    }

    /// The other modules from which a module imports.
    fn imports_of(&self, module: &ModulePath) -> BTreeSet<ModulePath> {
        let modules = self.0[module].used.iter();
        let modules =
            modules.filter_map(|path| self.defining_module(&self.absolute(module, path)?));
        modules.filter(|defining_module| defining_module != module).collect()
    }
}

/// The order of the top-level modules in the crate docs, from left to right. Modules separated by commas
/// are on the same level.
fn levels() -> Vec<Vec<String>> {
    let docs = include_str!("../src/lib.rs").replace("\n//!", "");
    let arrows = docs.split_once("Dependencies point one way: ").unwrap().1;
    let arrows = arrows.split_once('.').unwrap().0;
    let names = |group: &str| group.split(',').map(|name| name.trim().to_owned()).collect();
    arrows.split("<-").map(names).collect()
}

#[test]
fn modules_import_only_from_modules_further_left() {
    let levels = levels();
    let level = |module: &str| {
        let contains = |level: &Vec<String>| level.iter().any(|name| name == module);
        let level = levels.iter().position(contains);
        level.unwrap_or_else(|| panic!("{module} is missing in the module order of src/lib.rs"))
    };
    let source = Source::read();
    let mut imports = 0;
    for module in source.0.keys() {
        for imported in source.imports_of(module) {
            imports += 1;
            let (from, to) = (&module[0], &imported[0]);
            let is_left = level(to) < level(from) || from == to;
            assert!(is_left, "{} imports {}", module.join("::"), imported.join("::"));
        }
    }
    assert!(imports > 300, "only {imports} imports are recognized");
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    let source = Source::read();
    let imports = |module: &ModulePath| source.imports_of(module);
    let imports: BTreeMap<_, _> = source.0.keys().map(|m| (m.clone(), imports(m))).collect();
    let mut cycles = Vec::new();
    for (module, imported) in &imports {
        for imported in imported {
            if reachable(&imports, imported).contains(module) {
                let names = [module.join("::"), imported.join("::")];
                cycles.push(names.join(" imports "));
            }
        }
    }
    assert!(cycles.is_empty(), "imports in cycles:\n{}", cycles.join("\n"));
}

/// The table is in the crate docs.
#[test]
fn the_files_of_a_command_exist_and_are_at_most_15() {
    let docs = include_str!("../src/lib.rs");
    let path = docs.split_once("# The path of a command").unwrap().1;
    let path = path.split_once("# Modules").unwrap().0;
    let quoted = path.split('`').skip(1).step_by(2);
    let files: Vec<&str> = quoted.filter(|word| word.ends_with(".rs")).collect();
    assert!((1..=15).contains(&files.len()), "{files:?}");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in files {
        assert!(source.join(file).is_file(), "{file}");
    }
}

/// A module and the modules that it imports from, directly or indirectly.
fn reachable<'a>(
    imports: &'a BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    module: &'a ModulePath,
) -> BTreeSet<&'a ModulePath> {
    let mut reached = BTreeSet::from([module]);
    let mut open = vec![module];
    while let Some(module) = open.pop() {
        let new = imports.get(module).into_iter().flatten();
        open.extend(new.filter(|imported| reached.insert(imported)));
    }
    reached
}
