//! The file of answers.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use serde::Serialize;

use super::arguments::{Arguments, BatchFormat, BatchTask};
use super::worker::BatchResult;
use crate::cli::common::{Failure, FileLock, create_new, ignore_closed_pipe};
use crate::notation::{chinese, fen};
use crate::search::Meaning;
use crate::text::read_all;

/// The names of the columns, in the order of the fields of [`BatchAnswer`].
const COLUMNS: &str = "line,id,fen,best,chinese,score,mate,depth,nodes,time_ms,pv,solved,search\n";
/// No file of answers that is gone on with is larger, in MB.
const LARGEST_FILE: u64 = 4096;

/// What is written of a position.
#[derive(Serialize)]
pub(super) struct BatchAnswer {
    /// Its line in the file of positions.
    line: usize,
    id: Option<String>,
    fen: String,
    best: Option<String>,
    chinese: Option<String>,
    /// In hundredths of a minor piece, for the side to move; none where there is a mate.
    score: Option<i32>,
    /// Plies to the mate, negative where the side to move is mated.
    mate: Option<i64>,
    depth: u32,
    nodes: u64,
    time_ms: u64,
    pv: Vec<String>,
    /// Whether what is to be found was; none where there is nothing to be found.
    solved: Option<bool>,
    /// What was asked for: limits, rules, hash table and network.
    search: String,
}

impl BatchAnswer {
    pub(super) fn new(task: &BatchTask, found: &BatchResult, search: &str) -> Self {
        let position = &task.epd.position;
        let outcome = &found.outcome;
        let meaning = outcome.score.map(|score| score.meaning());
        let mate_plies = match meaning {
            Some(Meaning::Mates(plies)) => Some(plies),
            _ => None,
        };
        let is_solved = || {
            let best = outcome.best?;
            Some(task.epd.is_solved_by(best, mate_plies))
        };
        Self {
            line: task.line,
            id: task.epd.id().map(str::to_owned),
            fen: fen::write_position(position),
            best: outcome.best.map(|best| best.to_string()),
            chinese: outcome.best.map(|best| chinese::write(position, best)),
            score: match meaning {
                Some(Meaning::Evaluation(score)) => Some(score),
                _ => None,
            },
            mate: match meaning {
                Some(Meaning::Mates(plies)) => Some(i64::from(plies)),
                Some(Meaning::Mated(plies)) => Some(-i64::from(plies)),
                _ => None,
            },
            depth: outcome.depth,
            nodes: outcome.nodes,
            time_ms: u64::try_from(outcome.time.as_millis()).unwrap_or(u64::MAX),
            pv: found.line.iter().map(ToString::to_string).collect(),
            solved: task.epd.has_task().then(|| is_solved().unwrap_or(false)),
            search: search.to_owned(),
        }
    }

    fn text(&self, form: BatchFormat) -> String {
        match form {
            BatchFormat::Json => serde_json::to_string(self).unwrap_or_default() + "\n",
            BatchFormat::Csv => {
                let number = |value: Option<i64>| value.map(|n| n.to_string()).unwrap_or_default();
                let cells = [
                    self.line.to_string(),
                    self.id.clone().unwrap_or_default(),
                    self.fen.clone(),
                    self.best.clone().unwrap_or_default(),
                    self.chinese.clone().unwrap_or_default(),
                    number(self.score.map(i64::from)),
                    number(self.mate),
                    self.depth.to_string(),
                    self.nodes.to_string(),
                    self.time_ms.to_string(),
                    self.pv.join(" "),
                    self.solved
                        .map(|solved| solved.to_string())
                        .unwrap_or_default(),
                    self.search.clone(),
                ];
                cells.map(|cell| quoted(&cell)).join(",") + "\n"
            }
        }
    }
}

/// A cell as RFC 4180 has it.
fn quoted(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// Where the answers go.
pub(super) struct Output {
    file: Option<File>,
    /// Keeps other runs from writing the file.
    lock: Option<FileLock>,
    name: String,
    /// Whether standard output has lost its reader, so that more answers are of no use.
    pub(super) is_closed: bool,
    form: BatchFormat,
    /// What is asked for, as each answer tells it.
    pub(super) search: String,
    /// Answers that are written.
    pub(super) present: usize,
    /// Those of them to which there is something to be found.
    pub(super) with_goal: u32,
    /// Those of them that have found it.
    pub(super) solved: u32,
}

impl Output {
    /// Opens the file, or goes on with it.
    ///
    /// # Errors
    /// It cannot be written, exists though it must not, or holds answers to other positions.
    pub(super) fn open(arguments: &Arguments, tasks: &[BatchTask]) -> Result<Self, Failure> {
        let form = arguments.form();
        let mut output = Self {
            file: None,
            lock: None,
            name: "standard output".to_owned(),
            is_closed: false,
            form,
            search: arguments.search(),
            present: 0,
            with_goal: 0,
            solved: 0,
        };
        let Some(path) = arguments
            .out
            .as_deref()
            .filter(|path| path.as_os_str() != "-")
        else {
            if arguments.go_on {
                return Err(Failure::usage("--go-on", "not with standard output"));
            }
            output.write(output.heading())?;
            return Ok(output);
        };
        output.name = path.display().to_string();
        output.lock = Some(FileLock::of(path)?);
        let fault = |error: io::Error| Failure::new(path.display(), error);
        if arguments.go_on {
            output.reopen(path, tasks).map_err(fault)?;
        } else {
            let hint = "--go-on goes on with it, or name another file";
            output.file = Some(create_new(path, hint)?);
            output.write(output.heading())?;
        }
        Ok(output)
    }

    fn heading(&self) -> &'static str {
        match self.form {
            BatchFormat::Json => "",
            BatchFormat::Csv => COLUMNS,
        }
    }

    /// Opens a file behind its last whole answer; one that does not exist is begun.
    fn reopen(&mut self, path: &Path, tasks: &[BatchTask]) -> io::Result<()> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        let mut text = String::from_utf8(read_all(&mut file, LARGEST_FILE)?)
            .map_err(|_| io::Error::other("it holds no answers"))?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        if text.is_empty() {
            text = self.heading().to_owned();
        }
        let answers = text
            .strip_prefix(self.heading())
            .filter(|answers| self.form == BatchFormat::Csv || !answers.starts_with(COLUMNS))
            .ok_or_else(|| io::Error::other(self.other_form(&text)))?;
        for (number, answer) in answers.lines().enumerate() {
            let task = tasks
                .get(number)
                .filter(|task| self.is_answer_to(answer, task));
            let Some(task) = task else {
                let why = format!("answer {} is to another position", number + 1);
                return Err(io::Error::other(why));
            };
            if !self.is_of_this_search(answer) {
                let why = format!(
                    "answer {} is of another search than {}",
                    number + 1,
                    self.search
                );
                return Err(io::Error::other(why));
            }
            let is_solved = match self.form {
                BatchFormat::Json => answer.contains("\"solved\":true"),
                BatchFormat::Csv => answer.ends_with(&format!(",true,{}", quoted(&self.search))),
            };
            self.count(task.epd.has_task().then_some(is_solved));
        }
        let length = text.len() as u64;
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(length)?;
        self.file = Some(file);
        Ok(())
    }

    /// What is to be said of a file that does not begin as ours do.
    fn other_form(&self, text: &str) -> &'static str {
        match self.form {
            BatchFormat::Json => "its answers are CSV: say --to csv",
            BatchFormat::Csv if text.starts_with('{') => "its answers are JSON: say --to json",
            BatchFormat::Csv => "its columns are others",
        }
    }

    /// Whether an answer is to a position: its line and FEN are in it.
    fn is_answer_to(&self, answer: &str, task: &BatchTask) -> bool {
        let fen = fen::write_position(&task.epd.position);
        match self.form {
            BatchFormat::Json => {
                answer.starts_with(&format!("{{\"line\":{},", task.line))
                    && answer.contains(&format!("\"fen\":\"{fen}\","))
            }
            BatchFormat::Csv => {
                answer.starts_with(&format!("{},", task.line))
                    && answer.contains(&format!(",{fen},"))
            }
        }
    }

    /// Whether an answer is of a search with the same limits and settings.
    fn is_of_this_search(&self, answer: &str) -> bool {
        match self.form {
            BatchFormat::Json => {
                let search = serde_json::to_string(&self.search).unwrap_or_default();
                answer.ends_with(&format!("\"search\":{search}}}"))
            }
            BatchFormat::Csv => answer.ends_with(&format!(",{}", quoted(&self.search))),
        }
    }

    fn count(&mut self, solved: Option<bool>) {
        self.present += 1;
        self.with_goal += u32::from(solved.is_some());
        self.solved += u32::from(solved == Some(true));
    }

    /// Writes the next answer.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, answer: &BatchAnswer) -> Result<(), Failure> {
        self.write(&answer.text(self.form))?;
        self.count(answer.solved);
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        let written = match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()),
            None => {
                let mut out = io::stdout().lock();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                self.is_closed = written.is_err();
                written.or_else(ignore_closed_pipe)
            }
        };
        written.map_err(|error| Failure::new(&self.name, error))
    }
}
