//! The output file of a batch.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, BatchFormat};
use crate::cli::common::{
    Context, Failure, FileLock, FilePosition, bound_name, create_new, ignore_closed_pipe,
    score_and_mate,
};
use crate::notation::{chinese, fen};
use crate::rules::{Cause, RuleSet, judge_outcome};
use crate::search::{Bound, Meaning, Outcome, SearchResult};
use crate::text::read_all;

/// Size limit of a file that is continued, in MB.
const LARGEST_FILE: u64 = 4096;

/// A position to search.
pub struct Task {
    /// The name of its file, if there are several.
    pub file: Option<String>,
    pub position: FilePosition,
}

/// The result of a position. `L` is a list of moves, or its text for CSV.
#[derive(Serialize)]
struct BatchAnswer<L> {
    /// The file, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Number of the line or game in the file of positions.
    line: usize,
    id: Option<String>,
    fen: String,
    best: Option<String>,
    chinese: Option<String>,
    /// In hundredths of a minor piece, for the side to move; none if there is a mate.
    score: Option<i32>,
    /// Plies to the mate, negative if the side to move is mated.
    mate: Option<i64>,
    /// `lower` or `upper` if score or mate is only a bound.
    bound: Option<&'static str>,
    depth: u32,
    nodes: u64,
    time_ms: u64,
    pv: L,
    /// Whether the task was solved; none without a task.
    solved: Option<bool>,
    /// Why there is no best move: `checkmate` or `stalemate`.
    over: Option<String>,
    /// Limits and settings of the search.
    search: String,
}

/// The part of an answer that is needed to continue a file.
#[derive(Deserialize)]
struct ExistingAnswer {
    file: Option<String>,
    line: usize,
    fen: String,
    solved: Option<bool>,
    search: String,
}

/// The columns of a CSV file, in the order of the fields of [`BatchAnswer`]. With several files, `file` comes first.
const COLUMNS: &str =
    "line,id,fen,best,chinese,score,mate,bound,depth,nodes,time_ms,pv,solved,over,search\n";

impl<L> BatchAnswer<L> {
    fn new(task: &Task, result: &SearchResult, search: &str, pv: L) -> Self {
        let Task {
            file,
            position: task,
        } = task;
        let position = &task.epd.position;
        let Outcome {
            best,
            score,
            depth,
            nodes,
            time,
            ..
        } = result.outcome;
        let (hundredths, mate) = score.map_or((None, None), score_and_mate);
        let mate_plies = match score.map(|score| score.meaning()) {
            Some(Meaning::Mates(plies)) if result.bound() != Bound::Upper => Some(plies),
            _ => None,
        };
        let is_solved = best.is_some_and(|best| task.epd.is_solved_by(best, mate_plies));
        let over = || {
            let cause = judge_outcome(&task.game, RuleSet::default()).cause;
            matches!(cause, Cause::Checkmate | Cause::Stalemate).then(|| cause.to_string())
        };
        Self {
            file: file.clone(),
            line: task.place.number(),
            id: task.epd.id().map(str::to_owned),
            fen: fen::write_position(position),
            best: best.map(|best| best.to_string()),
            chinese: best.map(|best| chinese::write(position, best)),
            score: hundredths,
            mate,
            bound: bound_name(result.bound()),
            depth,
            nodes,
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            pv,
            solved: task.epd.has_task().then_some(is_solved),
            over: if best.is_none() { over() } else { None },
            search: search.to_owned(),
        }
    }
}

/// The destination of the answers.
pub struct Output {
    file: Option<File>,
    /// Keeps other runs from writing the file.
    _lock: Option<FileLock>,
    name: String,
    /// Whether the reader of standard output is gone, so that no more answers are needed.
    pub is_closed: bool,
    format: BatchFormat,
    /// Whether answers have the names of files.
    has_file_names: bool,
    /// Limits and settings of the search, as written in each answer.
    search: String,
    /// Number of answers in the file.
    pub present: usize,
    /// Number of answers to positions with a task.
    pub with_task: u32,
    /// Number of solved tasks.
    pub solved: u32,
}

impl Output {
    /// Creates the file, or opens it to continue.
    ///
    /// # Errors
    /// The file cannot be written, exists and must not, or has answers to other positions or of another
    /// search.
    pub fn open(arguments: &Arguments, tasks: &[Task], search: String) -> Result<Self, Failure> {
        let mut output = Self {
            file: None,
            _lock: None,
            name: "standard output".to_owned(),
            is_closed: false,
            format: arguments.format(),
            has_file_names: arguments.files.len() > 1,
            search,
            present: 0,
            with_task: 0,
            solved: 0,
        };
        let path = arguments.out.as_deref();
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            if arguments.go_on {
                return Err(Failure::usage(
                    "--go-on",
                    "needs a file, not standard output",
                ));
            }
            output.write(&output.heading())?;
            return Ok(output);
        };
        output.name = path.display().to_string();
        output._lock = Some(FileLock::of(path)?);
        if arguments.go_on {
            output.reopen(path, tasks).context(path.display())?;
        } else {
            output.file = Some(if arguments.force.force {
                File::create(path).context(path.display())?
            } else {
                create_new(path, "--go-on continues it, --force overwrites it")?
            });
            output.write(&output.heading())?;
        }
        Ok(output)
    }

    fn heading(&self) -> String {
        let file = if self.has_file_names { "file," } else { "" };
        match self.format {
            BatchFormat::Json => String::new(),
            BatchFormat::Csv => file.to_owned() + COLUMNS,
        }
    }

    /// Opens a file after its last complete answer; creates one that does not exist.
    fn reopen(&mut self, path: &Path, tasks: &[Task]) -> io::Result<()> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        let mut text = String::from_utf8(read_all(&mut file, LARGEST_FILE)?)
            .map_err(|_| io::Error::other("the file has no answers of `chuhe batch`"))?;
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        if text.is_empty() {
            text = self.heading();
        }
        for (n, answer) in self.read_answers(&text)?.into_iter().enumerate() {
            let number = n + 1;
            let is_to = |task: &Task| {
                task.file == answer.file
                    && task.position.place.number() == answer.line
                    && fen::write_position(&task.position.epd.position) == answer.fen
            };
            if !tasks.get(n).is_some_and(is_to) {
                let why = format!("answer {number} is to another position");
                return Err(io::Error::other(why));
            }
            if answer.search != self.search {
                let why = format!(
                    "answer {number} was made with other settings ({}) than these ({})",
                    answer.search, self.search
                );
                return Err(io::Error::other(why));
            }
            self.count(answer.solved);
        }
        let length = text.len() as u64;
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(length)?;
        self.file = Some(file);
        Ok(())
    }

    fn read_answers(&self, text: &str) -> io::Result<Vec<ExistingAnswer>> {
        match self.format {
            BatchFormat::Json if text.starts_with("line,") || text.starts_with("file,") => {
                Err(io::Error::other("its answers are CSV: use --to csv"))
            }
            BatchFormat::Json => {
                let answers = text.lines().map(serde_json::from_str);
                answers.collect::<Result<_, _>>().map_err(io::Error::other)
            }
            BatchFormat::Csv if text.starts_with('{') => {
                Err(io::Error::other("its answers are JSON: use --to json"))
            }
            BatchFormat::Csv if !text.starts_with(&self.heading()) => {
                Err(io::Error::other("it has other columns"))
            }
            BatchFormat::Csv => {
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                let answers: Result<_, csv::Error> = reader.deserialize().collect();
                answers.map_err(io::Error::other)
            }
        }
    }

    fn count(&mut self, solved: Option<bool>) {
        self.present += 1;
        self.with_task += u32::from(solved.is_some());
        self.solved += u32::from(solved == Some(true));
    }

    /// Writes the next answer.
    pub fn add(&mut self, task: &Task, result: &SearchResult) -> Result<(), Failure> {
        let moves = result.best_line().into_iter().map(|m| m.to_string());
        let moves: Vec<String> = moves.collect();
        let (text, solved) = match self.format {
            BatchFormat::Json => {
                let answer = BatchAnswer::new(task, result, &self.search, moves);
                let text = serde_json::to_string(&answer).context("JSON")?;
                (text + "\n", answer.solved)
            }
            BatchFormat::Csv => {
                let answer = BatchAnswer::new(task, result, &self.search, moves.join(" "));
                (csv_row(&answer).context("CSV")?, answer.solved)
            }
        };
        self.write(&text)?;
        self.count(solved);
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
        written.context(&self.name)
    }
}

fn csv_row(answer: &BatchAnswer<String>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    writer.serialize(answer)?;
    let row = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(row)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::common::Place;

    #[test]
    fn columns_are_the_fields_of_an_answer() {
        for file in [None, Some("a.pgn".to_owned())] {
            check_columns(file);
        }
    }

    fn check_columns(file: Option<String>) {
        let epd = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - id \"a \\\"b\\\", c\";";
        let epd: crate::notation::epd::Epd = epd.parse().unwrap();
        let game = crate::rules::Game::new(epd.position.clone());
        let columns = if file.is_some() { "file," } else { "" };
        let columns = columns.to_owned() + COLUMNS;
        let position = FilePosition {
            place: Place::Line(3),
            epd,
            game,
        };
        let task = Task {
            file: file.clone(),
            position,
        };
        let mut searcher = crate::search::Searcher::new(1).unwrap();
        let limits = crate::search::Limits {
            depth: Some(1),
            ..Default::default()
        };
        let result = searcher
            .search(searcher.request(&task.position.game, limits))
            .unwrap();
        let answer = BatchAnswer::new(&task, &result, "depth 1", String::new());
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(&answer).unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        assert_eq!(text, columns + &csv_row(&answer).unwrap());
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let read: ExistingAnswer = reader.deserialize().next().unwrap().unwrap();
        assert_eq!((read.file, read.line, read.solved), (file, 3, None));
        assert_eq!(read.search, "depth 1");
    }
}
