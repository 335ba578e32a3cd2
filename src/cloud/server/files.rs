//! Static files of a directory, such as the page of the public library.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use axum::body::Bytes;
use percent_encoding::percent_decode_str;

const MAX_FILES: usize = 10_000;
/// Maximum total size of the files, in bytes.
const MAX_BYTES: u64 = 256 << 20;
const MAX_DEPTH: usize = 16;

/// Files by URL path. Their contents are kept in memory, so no request reads from the disk.
#[derive(Clone, Debug, Default)]
pub struct Site(HashMap<String, File>);

#[derive(Clone, Debug)]
pub struct File {
    /// Content type.
    pub kind: &'static str,
    pub content: Bytes,
}

#[derive(Default)]
struct Totals {
    files: usize,
    bytes: u64,
}

impl Site {
    /// Reads a directory and its subdirectories. `index.html` is also served at the path of its directory. Links, PHP
    /// files, names that start with a dot or are not UTF-8, and directories nested more than 16 levels deep are
    /// skipped.
    ///
    /// # Errors
    /// A file or directory cannot be read, there are too many files, or their total size is too large.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let mut site = Self::default();
        site.add(directory, "/", &mut Totals::default(), 0)?;
        Ok(site)
    }

    fn add(
        &mut self,
        directory: &Path,
        base: &str,
        totals: &mut Totals,
        depth: usize,
    ) -> io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if name.starts_with('.') || name.to_ascii_lowercase().ends_with(".php") {
                continue;
            }
            let path = format!("{base}{name}");
            if kind.is_dir() && depth < MAX_DEPTH {
                self.add(&entry.path(), &format!("{path}/"), totals, depth + 1)?;
            } else if kind.is_file() {
                totals.files += 1;
                totals.bytes += entry.metadata()?.len();
                if totals.files > MAX_FILES || totals.bytes > MAX_BYTES {
                    let text = format!("more than {MAX_FILES} files or {} MB", MAX_BYTES >> 20);
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
                }
                let content = Bytes::from(std::fs::read(entry.path())?);
                let kind = content_type(&name);
                let file = File { kind, content };
                if name == "index.html" {
                    self.0.insert(base.to_owned(), file.clone());
                }
                self.0.insert(path, file);
            }
        }
        Ok(())
    }

    /// The file at a URL path, which may be percent-encoded.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.0.get(&*percent_decode_str(path).decode_utf8().ok()?)
    }
}

/// Content type by file extension.
pub fn content_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match &*ending.to_ascii_lowercase() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_exact_paths() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("query/file")).unwrap();
        for (name, text) in [
            ("query/index.html", "page"),
            ("query/file/a.js", "script"),
            ("空 格.txt", "blank"),
            ("stats.php", "program"),
            (".secret", "secret"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", at("link.txt")).unwrap();
        let site = Site::read(directory.path()).unwrap();
        let content = |path: &str| site.get(path).map(|file| file.content.clone());
        assert_eq!(content("/query/"), Some(Bytes::from("page")));
        assert_eq!(content("/query/index.html"), content("/query/"));
        assert_eq!(content("/%E7%A9%BA%20%E6%A0%BC.txt"), Some(Bytes::from("blank")));
        assert_eq!(site.get("/query/file/a.js").unwrap().kind, "text/javascript; charset=utf-8");
        for none in [
            "/",
            "/query",
            "/stats.php",
            "/.secret",
            "/link.txt",
            "/query/../query/",
            "/query/%2e%2e/query/",
            "/query/%00",
            "/%ff",
            "//query/",
        ] {
            assert_eq!(content(none), None, "{none}");
        }
        assert!(Site::read(&at("nowhere")).is_err());
        // A large file is rejected before it is read.
        let large = std::fs::File::create(at("large.txt")).unwrap();
        large.set_len(1 << 40).unwrap();
        let error = Site::read(directory.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let many = tempfile::tempdir().unwrap();
        for number in 0..MAX_FILES {
            std::fs::File::create(many.path().join(number.to_string())).unwrap();
        }
        assert!(Site::read(many.path()).is_ok());
        std::fs::File::create(many.path().join("index.html")).unwrap();
        let error = Site::read(many.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
