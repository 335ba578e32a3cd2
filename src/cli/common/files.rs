//! Files that commands read and write, and locks on them.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{
    Context, Failure, ignore_closed_pipe, note, refuse_if, remove_unfinished_at_interrupt,
};
use crate::text::{
    Blocking, IS_WRITTEN, Replacement, UnfinishedFile, first_bytes, has_extension, open_to_append,
    short_name,
};

/// The number of bytes that are read from a file at once.
const BUFFER_SIZE: usize = 1 << 20;

/// Opens a file for reading; `-` is standard input.
pub fn open_input(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(Blocking(io::stdin()))));
    }
    if fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER_SIZE, File::open(path)?)))
}

/// Like [`open_input`]. Also returns the first bytes, at most `length`, which the reader returns as well.
#[cfg(any(feature = "cloud", feature = "training"))]
pub fn open_with_beginning(
    path: &Path,
    length: u64,
) -> io::Result<(Vec<u8>, impl BufRead + use<>)> {
    let mut file = open_input(path)?;
    let mut beginning = Vec::new();
    file.by_ref().take(length).read_to_end(&mut beginning)?;
    let whole = io::Cursor::new(beginning.clone()).chain(file);
    Ok((beginning, whole))
}

/// A text in UTF-16 as UTF-8, any other text unchanged. `beginning` are the first bytes of `source`.
#[cfg(any(feature = "cloud", feature = "training"))]
pub fn in_utf_8<'a>(beginning: &[u8], source: impl BufRead + 'a) -> Box<dyn BufRead + 'a> {
    match crate::text::utf_16(beginning) {
        Some(encoding) => {
            let mut builder = encoding_rs_io::DecodeReaderBytesBuilder::new();
            Box::new(BufReader::new(builder.encoding(Some(encoding)).build(source)))
        }
        None => Box::new(source),
    }
}

/// The path of the log, if there is one.
static LOG: OnceLock<PathBuf> = OnceLock::new();

/// Opens a log to append to it, and keeps [`OutputFile`] and [`FileLock`] from using the file.
///
/// # Errors
/// The file cannot be opened, or is a regular file that is not empty and does not begin with a date and `T`, as a log
/// does.
pub fn open_log(path: &Path) -> Result<File, Failure> {
    const BEGINNING: &[u8] = b"0000-00-00T";
    let beginning = first_bytes(path, BEGINNING.len());
    let digits_as_zeros = beginning.iter().map(|byte| match byte {
        b'0'..=b'9' => b'0',
        other => *other,
    });
    let is_other = !beginning.is_empty() && !digits_as_zeros.eq(BEGINNING.iter().copied());
    let why = "the file exists and is not a log, so nothing is added to it";
    refuse_if(is_other, path.display(), why)?;
    let file = open_to_append(&mut File::options(), path).context(path.display())?;
    LOG.get_or_init(|| path.to_owned());
    Ok(file)
}

/// Returns an error if a file that a command writes is the log.
pub fn require_not_log(path: &Path) -> Result<(), Failure> {
    let file = identity_of(path);
    let is_log = file.is_some() && file == LOG.get().and_then(|log| identity_of(log));
    refuse_if(is_log, path.display(), "this is the file of --log")
}

/// Reads a small text file, such as settings or access tokens, in UTF-8, UTF-16, GBK or Big5; `-` is standard input.
#[cfg(any(feature = "cloud", feature = "match", feature = "training"))]
pub fn read_small_text(path: &Path) -> Result<String, Failure> {
    /// Maximum size in MB.
    const MAX_SIZE: u64 = 16;
    let file = open_input(path).context(path.display())?;
    let bytes = crate::text::read_all(file, MAX_SIZE).context(path.display())?;
    // ASCII characters in UTF-16 are NUL bytes and other ones, which are also valid UTF-8.
    let text = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        Ok(text) => crate::text::decode(text.as_bytes()).into_owned(),
        Err(error) => crate::text::decode(error.as_bytes()).into_owned(),
    };
    if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        let why = "not a text in UTF-8, UTF-16, GBK or Big5";
        return Err(Failure::new(path.display(), why));
    }
    Ok(text)
}

#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ForceArgument {
    /// Overwrite output files that exist.
    #[arg(long)]
    pub force: bool,
}

/// An output file, opened before long work so that an unwritable path is an error at once. An existing file is replaced
/// completely or not at all. The path `-` is standard output.
pub struct OutputFile {
    path: PathBuf,
    target: Target,
    overwrite: bool,
    /// Keeps other processes from writing a regular file that is written once.
    lock: Option<FileLock>,
}

enum Target {
    StandardOutput,
    Regular(Replacement),
    /// A pipe or a device.
    Special(File),
}

impl OutputFile {
    /// Opens the output. A regular file must not be the log or written by another process, and must not exist unless
    /// `force` is given.
    pub fn create(path: &Path, force: ForceArgument) -> Result<Self, Failure> {
        let file = Self::without_lock(path, force)?;
        let lock = match file.target {
            Target::Regular(_) => Some(FileLock::acquire(path)?),
            Target::StandardOutput | Target::Special(_) => None,
        };
        Ok(Self { lock, ..file })
    }

    fn without_lock(path: &Path, ForceArgument { force }: ForceArgument) -> Result<Self, Failure> {
        require_not_log(path)?;
        let data = fs::metadata(path);
        let is_missing = data.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let target = if is_stdout(path) {
            Ok(Target::StandardOutput)
        } else if let Some(file) = open_special(path) {
            file.map(Target::Special)
        } else if data.is_ok() && !force {
            return Err(Failure::new(path.display(), FILE_EXISTS));
        } else if is_missing && names_folder(path) {
            return Err(Failure::new(path.display(), "there is no such folder"));
        } else {
            remove_unfinished_at_interrupt();
            Replacement::beside(path).map(Target::Regular)
        };
        let target = target.context(path.display())?;
        Ok(Self { path: path.to_owned(), target, overwrite: force, lock: None })
    }

    /// Opens a file that a command rewrites repeatedly. It may exist, and is not locked: a lock that another process
    /// holds for a moment must not end a match.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::without_lock(path, ForceArgument { force: true })
    }

    /// Whether this is standard output. The command must then print nothing else there.
    pub fn is_stdout(&self) -> bool {
        matches!(self.target, Target::StandardOutput)
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self.target {
            Target::StandardOutput => "standard output".to_owned(),
            _ => self.path.display().to_string(),
        }
    }

    /// The new file itself, unless this is a pipe, a device or standard output.
    #[cfg(feature = "training")]
    pub fn as_file(&self) -> Option<&File> {
        match &self.target {
            Target::Regular(new) => Some(new.file.as_file()),
            _ => None,
        }
    }

    /// Completes the file after the last write. Fails if the file has been created in the meantime and `force` is not
    /// set or a process appends to it; the content is then kept in another file.
    pub fn finish(self) -> Result<(), Failure> {
        let name = self.name();
        let finished = match self.target {
            Target::StandardOutput => io::stdout().flush().or_else(ignore_closed_pipe),
            Target::Special(_) => Ok(()),
            Target::Regular(new) => {
                // A match may have begun to append to the file.
                let is_free = || self.lock.is_none() || require_unlocked(&self.path).is_ok();
                new.commit(self.overwrite && is_free())
            }
        };
        finished.context(name)
    }

    /// Writes the whole content and completes the file.
    pub fn write(mut self, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.write_all(content.as_ref()).context(self.name())?;
        self.finish()
    }
}

impl Write for OutputFile {
    fn write(&mut self, content: &[u8]) -> io::Result<usize> {
        let written = match &mut self.target {
            Target::StandardOutput => io::stdout().write_all(content).or_else(ignore_closed_pipe),
            Target::Special(file) => file.write_all(content),
            Target::Regular(new) => new.file.as_file_mut().write_all(content),
        };
        written.map(|()| content.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a path ends with a separator.
fn names_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

/// Whether a path names standard output: `-`, or its name on Unix, which cannot be opened if standard output is a socket
/// and has a position of its own if it is a file.
pub fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    path.as_os_str() == "-" || cfg!(unix) && names.iter().any(|name| path == Path::new(name))
}

/// Opens a pipe, a device or, to append to it, an open file that is named by its descriptor, as in `/dev/stderr`.
/// `None` for other paths.
pub fn open_special(path: &Path) -> Option<io::Result<File>> {
    let is_descriptor = path == Path::new("/dev/stderr")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|folder| path.parent() == Some(Path::new(folder)));
    let is_special = is_descriptor || fs::metadata(path).is_ok_and(|data| !data.is_file());
    is_special.then(|| File::options().write(true).append(is_descriptor).open(path))
}

/// Returns an error if a process appends to a file or has locked it, such as `chuhe selfplay`. On some file systems
/// only a file that is open for writing can be locked.
fn require_unlocked(path: &Path) -> Result<(), Failure> {
    let Ok(file) = File::options().append(true).open(path) else {
        return Ok(());
    };
    match fs4::FileExt::try_lock(&file) {
        Err(fs4::TryLockError::WouldBlock) => Err(Failure::new(path.display(), IS_WRITTEN)),
        // A process that is being started may keep the file open for a moment.
        _ => fs4::FileExt::unlock(&file).or(Ok(())),
    }
}

pub const FILE_EXISTS: &str = "the file already exists; --force overwrites it";

/// Creates the files that options name, see [`OutputFile::create`]. They must differ from each other, from the `others`
/// and from the input files. The name of an option is the extension of its format.
pub fn create_outputs<'a, P: AsRef<Path>, const N: usize>(
    files: [(&'a str, &'a Option<PathBuf>); N],
    others: impl IntoIterator<Item = (&'a str, &'a Path)>,
    inputs: &[P],
    force: ForceArgument,
) -> Result<[Option<OutputFile>; N], Failure> {
    let given = files.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?)));
    let is_unused = force.force && given.clone().next().is_none();
    refuse_if(is_unused, "--force", "has an effect only with an output file")?;
    require_distinct(others.into_iter().chain(given))?;
    let mut created = [const { None }; N];
    for ((option, path), file) in files.into_iter().zip(&mut created) {
        if let Some(path) = path {
            require_not_input(option, path, inputs)?;
            require_extension(option, path, &[option.trim_start_matches('-')])?;
            *file = Some(OutputFile::create(path, force)?);
        }
    }
    Ok(created)
}

/// The extensions of pictures, web pages, game records, networks, other files with positions, games or moves, and
/// compressed files.
const KNOWN_EXTENSIONS: [&str; 32] = [
    "7z", "bmp", "bz2", "cbf", "cbl", "cbr", "ccm", "chg", "dat", "epd", "fen", "gif", "gz",
    "html", "jpeg", "jpg", "json", "mxq", "nnue", "obk", "pdf", "pfc", "pgn", "png", "rar", "svg",
    "webp", "xml", "xqb", "xqf", "xz", "zip",
];

/// Returns an error if an output file has the extension of a known format that is not in `own`. The error suggests the
/// first extension in `own`.
pub fn require_extension(option: &str, path: &Path, own: &[&str]) -> Result<(), Failure> {
    let mut others = KNOWN_EXTENSIONS.iter().filter(|known| !own.contains(known));
    let Some(other) = others.find(|other| has_extension(path, other)) else {
        return Ok(());
    };
    let why = format!(".{other} is the extension of another format; expected .{}", own[0]);
    Err(Failure::usage(option, why))
}

/// Returns an error if the path of an option names standard output.
pub fn require_not_stdout(option: &str, path: &Path) -> Result<(), Failure> {
    refuse_if(is_stdout(path), option, "needs a file, not standard output")
}

/// Whether the path of an argument is a folder; `-` is standard input or output.
pub fn is_folder(path: &Path) -> bool {
    path.as_os_str() != "-" && path.is_dir()
}

/// The input files of a command, which it must not overwrite.
pub struct InputFiles(HashSet<FileIdentity>);

impl InputFiles {
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self(paths.into_iter().filter_map(|path| identity_of(path.as_ref())).collect())
    }

    /// Returns an error if the output file `out` is also an input file, even under another path. `name` is its option
    /// or path.
    pub fn require_other(&self, name: impl Display, out: &Path) -> Result<(), Failure> {
        let is_input = identity_of(out).is_some_and(|out| self.0.contains(&out));
        refuse_if(is_input, name, "this is one of the input files")
    }
}

/// Returns an error if an output file is also an input file, even under another path.
pub fn require_not_input<P: AsRef<Path>>(
    option: &str,
    out: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), Failure> {
    InputFiles::new(inputs).require_other(option, out)
}

/// Reports the files that are given more than once, even under another path.
pub fn note_repeated<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) {
    let mut known = HashSet::new();
    for path in files {
        let path = path.as_ref();
        if identity_of(path).is_some_and(|file| !known.insert(file)) {
            note(&format!("{}: given more than once; it counts each time", path.display()));
        }
    }
}

/// Returns an error if two of the files, each with its option, are the same, even under different paths; `-` is
/// standard output.
pub fn require_distinct<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a Path)>,
) -> Result<(), Failure> {
    let mut options = HashMap::new();
    for (option, path) in files {
        let file =
            if is_stdout(path) { Some(FileIdentity::Path("-".into())) } else { identity_of(path) };
        if let Some(other) = file.and_then(|file| options.insert(file, option)) {
            let why = format!("this is also the file of {other}");
            return Err(Failure::usage(option, why));
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq, Hash)]
enum FileIdentity {
    /// The device and inode number of an existing file, which all of its hard links share.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The canonical path.
    Path(PathBuf),
}

/// The identity of a regular file, which need not exist; `None` for others.
fn identity_of(path: &Path) -> Option<FileIdentity> {
    if path.as_os_str() == "-" {
        return None;
    }
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => None,
        #[cfg(unix)]
        Ok(data) => {
            let (device, inode) = device_and_inode(&data);
            Some(FileIdentity::Inode(device, inode))
        }
        _ => Some(FileIdentity::Path(canonical_path(path))),
    }
}

/// The canonical path of a file, or of the target of a link, which need not exist. The path itself if its folder does
/// not exist.
pub fn canonical_path(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    // A link to a missing file. For links in a cycle, the error is not `NotFound`.
    let target = || {
        let target = fs::read_link(path).ok()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Some(canonical_path(&folder.join(target)))
    };
    match path.canonicalize() {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let file = target().or_else(in_folder);
            file.unwrap_or_else(|| path.to_owned())
        }
        Err(_) => in_folder().unwrap_or_else(|| path.to_owned()),
    }
}

/// Maximum number of bytes read from a lock file, more than any process ID has.
const MAX_ID_LENGTH: u64 = 32;

/// An advisory lock that keeps two processes from writing the same file, held until it is dropped or the
/// process ends.
///
/// The locked file is `FILE.lock`, because `FILE` itself may be replaced. If `FILE` is a link, the lock file is beside
/// the target of the link. It contains the ID of the process. The lock file of a killed process stays, but is no longer
/// locked, and the next process takes it over.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// `None` only while the lock is dropped.
    file: Option<File>,
    unfinished: Option<UnfinishedFile>,
}

impl FileLock {
    /// Locks a file, which need not exist.
    ///
    /// # Errors
    /// The file is the log, another process holds the lock or writes the file without it, the lock file cannot be opened,
    /// or it has other content than a lock.
    pub fn acquire(path: &Path) -> Result<Self, Failure> {
        require_not_log(path)?;
        require_unlocked(path)?;
        let lock = lock_path(path);
        loop {
            let mut options = File::options();
            let options = options.read(true).write(true).create(true).truncate(false);
            // No process must hold the lock of a removed file.
            #[cfg(windows)]
            crate::text::not_removable(options);
            let mut file = options.open(&lock).context(lock.display())?;
            match fs4::FileExt::try_lock(&file) {
                // Some file systems have no locks.
                Ok(()) | Err(fs4::TryLockError::Error(_)) => {}
                Err(fs4::TryLockError::WouldBlock) => {
                    let why = format!("{} is writing this file", owner(&mut file));
                    return Err(Failure::new(path.display(), why));
                }
            }
            // The previous holder may have removed the file after it was opened here.
            if is_at(&file, &lock).context(path.display())? {
                let is_empty = file.metadata().is_ok_and(|data| data.len() == 0);
                let why = "the file is not a lock; another file with this name is in the way";
                refuse_if(!is_empty && holder(&mut file).is_none(), lock.display(), why)?;
                // The ID is only for messages, and a disk may be full.
                let _ = file
                    .set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| write!(file, "{}", std::process::id()));
                let unfinished = Some(UnfinishedFile::new(&lock));
                return Ok(Self { path: lock, file: Some(file), unfinished });
            }
        }
    }
}

/// The path of the lock of a file.
fn lock_path(path: &Path) -> PathBuf {
    /// Systems allow names of 255 bytes.
    const MAX_NAME: usize = 250;
    let path = canonical_path(path);
    let mut name = short_name(&path, MAX_NAME);
    name.push(".lock");
    path.with_file_name(name)
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // On Windows an open file cannot be removed. Elsewhere the file is removed before it is closed, so that no
        // other process can lock it in between.
        if cfg!(windows) {
            drop(self.file.take());
        }
        // From here on, a signal must not remove the lock of another process.
        self.unfinished = None;
        // If this fails, the next process takes the file over.
        let _ = fs::remove_file(&self.path);
    }
}

/// The ID of the process in a lock file; `None` if the file has other content.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(MAX_ID_LENGTH + 1).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// The process that holds a lock, as text for a message.
fn owner(file: &mut File) -> String {
    holder(file).map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
}

#[cfg(unix)]
fn device_and_inode(data: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;

    (data.dev(), data.ino())
}

/// Whether `path` still refers to the open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) => Ok(device_and_inode(&there) == device_and_inode(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Not checked on other systems. On Windows an open lock file stays where it is.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_file_stays_until_the_new_one_is_complete() {
        let directory = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();
        let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
        let [refuse, overwrite] = [false, true].map(|force| ForceArgument { force });
        fs::write(&old, "before").unwrap();
        assert!(OutputFile::create(&old, refuse).is_err());
        drop(OutputFile::create(&old, overwrite).unwrap_or_else(|_| panic!()));
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        drop(OutputFile::create(&new, refuse).unwrap_or_else(|_| panic!()));
        assert_eq!(names(), 1, "no temporary file is left");
        for (path, force) in [(&old, overwrite), (&new, refuse)] {
            let out = OutputFile::create(path, force).unwrap_or_else(|_| panic!());
            assert!(out.write("after").is_ok());
            assert_eq!(fs::read_to_string(path).unwrap(), "after");
        }
        // A file that another program creates in the meantime is kept.
        let late = directory.path().join("late");
        let out = OutputFile::create(&late, refuse).unwrap_or_else(|_| panic!());
        fs::write(&late, "other").unwrap();
        let error = out.write("ours").unwrap_err().text;
        assert_eq!(fs::read_to_string(&late).unwrap(), "other");
        let (_, kept) = error.split_once("; the new content is in ").unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), "ours");
        fs::remove_file(kept).unwrap();
        assert_eq!(names(), 3);
        assert!(OutputFile::create(directory.path(), overwrite).is_err());
        // A file that is written repeatedly may have a lock.
        let locked = File::open(&old).unwrap();
        fs4::FileExt::try_lock_shared(&locked).unwrap();
        assert!(OutputFile::open(&old).is_ok_and(|out| out.write("again").is_ok()));
        drop(locked);
        // A file that another process writes is not replaced, even if it does not exist yet.
        for path in [&old, &directory.path().join("soon")] {
            let first = OutputFile::create(path, overwrite);
            assert!(first.is_ok() && OutputFile::create(path, overwrite).is_err());
        }
        let locked = File::options().write(true).open(&old).unwrap();
        fs4::FileExt::try_lock(&locked).unwrap();
        assert!(OutputFile::create(&old, overwrite).is_err());
        assert!(OutputFile::create(&new.join("x"), refuse).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_a_process_appends_to_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games.pgn");
        let force = ForceArgument { force: true };
        let early = OutputFile::create(&path, force).unwrap_or_else(|_| panic!());
        let append = || open_to_append(&mut File::options(), &path);
        let mut games = append().unwrap();
        games.write_all(b"game").unwrap();
        assert!(append().is_ok());
        assert!(early.write("other").is_err());
        assert_eq!(FileLock::acquire(&path).unwrap_err().text.split(": ").last(), Some(IS_WRITTEN));
        assert!(OutputFile::create(&path, force).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"game");
        drop(games);
        let locked = File::open(&path).unwrap();
        fs4::FileExt::try_lock(&locked).unwrap();
        assert!(append().is_err());
        drop(locked);
        assert!(OutputFile::create(&path, force).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn an_open_file_named_by_its_descriptor_is_appended_to() {
        use std::os::fd::AsRawFd;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "before").unwrap();
        let open = File::options().append(true).open(&path).unwrap();
        let descriptor = PathBuf::from(format!("/dev/fd/{}", open.as_raw_fd()));
        for force in [false, true] {
            let out = OutputFile::create(&descriptor, ForceArgument { force });
            assert!(out.is_ok_and(|out| out.write(" after").is_ok()));
        }
        assert_eq!(fs::read(&path).unwrap(), b"before after after");
        for name in ["-", "/dev/stdout", "/proc/self/fd/1"].map(Path::new) {
            let out = OutputFile::create(name, ForceArgument::default());
            assert!(out.is_ok_and(|out| out.is_stdout()));
            assert!(require_distinct([("a", name), ("b", Path::new("/dev/fd/1"))]).is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_its_target_are_the_same_file() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link, cycle] = ["file", "link", "cycle"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink("file", &link).unwrap();
        std::os::unix::fs::symlink("cycle", &cycle).unwrap();
        // Before and after the target exists.
        for _ in 0..2 {
            let lock = FileLock::acquire(&link).unwrap();
            assert!(FileLock::acquire(&file).is_err());
            drop(lock);
            assert!(require_not_input("--out", &link, [&file]).is_err());
            assert!(require_distinct([("a", &*link), ("b", &*file)]).is_err());
            assert!(require_distinct([("a", &*link), ("b", &*cycle)]).is_ok());
            fs::write(&file, "").unwrap();
        }
    }

    #[test]
    fn lock_is_exclusive() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("answers.json");
        let lock = FileLock::acquire(&path).unwrap();
        let message = FileLock::acquire(&path).unwrap_err().text;
        let owner = format!("process {} is writing", std::process::id());
        assert!(cfg!(windows) || message.contains(&owner), "{message}");
        drop(lock);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        // The lock file of a killed process.
        fs::write(directory.path().join("answers.json.lock"), "1").unwrap();
        drop(FileLock::acquire(&path).unwrap());
        assert!(FileLock::acquire(&directory.path().join("none/x")).is_err());
        // A file of the user that only has the name of a lock.
        for content in ["data", "1 data", "4294967296"] {
            let other = directory.path().join("answers.json.lock");
            fs::write(&other, content).unwrap();
            assert!(FileLock::acquire(&path).is_err());
            assert_eq!(fs::read_to_string(&other).unwrap(), content);
        }
    }
}
