//! The arguments of `chuhe match`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::cli::common::{Failure, parse_seconds};
use crate::notation::{MoveStyle, pgn};
use crate::rules::RuleSet;
use crate::text::{is_character, read_file};
use crate::tournament::stats::Sprt;
use crate::tournament::{
    Adjudication, ColorOrder, Damage, EngineSpec, EngineWords, GameRules, Openings, ScoreDraw,
    ScoreWin, TableAdjudication, Timeouts, Tournament, TournamentFormat, read_toml,
};

/// No file of engines or openings is larger, in MB.
const LARGEST_FILE: u64 = 1024;

/// Play a tournament between engines that speak UCCI or UCI.
///
/// An engine is described in words KEY=VALUE:
///   cmd=PROGRAM        the program; a path is found from where you are
///   name=NAME          its name in tables (default: that of the program)
///   args=WORDS         its arguments, quoted as for a shell
///   dir=DIRECTORY      where it runs
///   proto=ucci|uci     what it speaks (default: what it answers to)
///   ranks=0|1          what its coordinates count ranks from (default: seen from a trial move)
///   option.NAME=VALUE  an option to set
///   init=LINE          a line to send after the options; may be repeated
///   tc=[MOVES/]TIME[+INCREMENT]  a clock: seconds or minutes:seconds
///   movetime=MS, nodes=N, depth=N  other limits for each move
///   margin=MS          how far beyond its time it may go (default: 100)
///   ponder=on          it thinks on the opponent's time
///   restart=on         it gets a new process for each game
///   nice=N, cpus=LIST  its niceness and processors (such as 0-3,6)
///   stderr=FILE        where its standard error is added to
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(flatten)]
    engines: EngineArguments,
    /// Read engines from a TOML file: `[[engine]]` tables with the keys of --engine, where args and
    /// init are lists and options a table, and `[each]`, which holds for these where neither they nor
    /// --each say otherwise.
    #[arg(long, value_name = "FILE")]
    engines_file: Option<PathBuf>,
    /// Which engines meet.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: TournamentFormat,
    /// How many engines of a gauntlet play all others (and not each other).
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// Let the first engine of a pairing have the same color in both games of an opening.
    #[arg(long, conflicts_with = "sprt")]
    noswap: bool,
    /// Let the first engine of a pairing begin with black.
    #[arg(long)]
    reverse: bool,
    /// Wait so many milliseconds between two games.
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=86_400_000))]
    wait: u32,
    /// Rounds; in each, every pairing plays one opening with both colors [default: 10, with --sprt
    /// as many as it takes].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    rounds: Option<u64>,
    /// Games at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Where games begin: a file (FEN or EPD lines, lines of moves, PGN), `balanced` for the openings
    /// that Chuhe brings along, or `start`.
    #[arg(long, value_name = "FILE", default_value = "balanced")]
    openings: String,
    /// Use only the first moves of each opening.
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Shuffle the openings; the same seed gives the same order.
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Skip this many openings.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// The rules.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "SET",
        default_value_t
    )]
    rules: RuleSet,
    /// Draw games of so many plies; 0 for no bound.
    #[arg(long, value_name = "N", default_value_t = 400)]
    max_plies: usize,
    /// Tell UCCI engines which moves would lose by repetition (`banmoves`).
    #[arg(long)]
    banmoves: bool,
    /// End games as won when both engines agree, such as `score=500,moves=4`. A score is in hundredths
    /// of each engine's own unit: for UCCI engines such as Chuhe a minor piece, so that 500 is five of
    /// them; for most UCI engines a pawn.
    #[arg(long, value_name = "WHEN")]
    adjudicate_win: Option<ScoreWin>,
    /// End games as drawn when both engines agree, such as `score=10,moves=8,after=80` (plies); scores
    /// as above.
    #[arg(long, value_name = "WHEN")]
    adjudicate_draw: Option<ScoreDraw>,
    /// End games that endgame tables decide, whatever the engines think: won where the mate comes within
    /// the no-capture limit, drawn where the draw holds under the rules. DIRS are directories of tables
    /// (*.chtb) beside the embedded ones, separated by `;`.
    #[arg(long, value_name = "DIRS", num_args = 0..=1, default_missing_value = "")]
    adjudicate_tables: Option<String>,
    /// An engine that sees itself lose resigns, whatever the other one sees, such as
    /// `score=900,moves=4`.
    #[arg(long, value_name = "WHEN")]
    resign: Option<ScoreWin>,
    /// Stop when this test decides: `elo0=0,elo1=5`, with `alpha=`, `beta=` (0.05) and `model=`
    /// (normalized, or logistic) if you like.
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sprt>,
    /// Give each game a processor of its own, two if an engine ponders (Linux only).
    #[arg(long)]
    pin: bool,
    /// How long an engine may take to start, or to say that it is ready.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = parse_seconds)]
    startup: Duration,
    /// How long a move may take under nodes= or depth=.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = parse_seconds)]
    patience: Duration,
    /// The name of the tournament in the PGN.
    #[arg(long, value_name = "NAME", default_value = "chuhe match")]
    event: String,
    /// Add the games to this file.
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// How the PGN writes moves.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "NOTATION",
        default_value = "iccs",
        requires = "pgn"
    )]
    pub(super) notation: MoveStyle,
    /// Add nodes, nodes a second, time left and principal variation to the comments of the PGN.
    #[arg(long, requires = "pgn")]
    pgn_details: bool,
    /// Add the position in which each game ended to this file (EPD).
    #[arg(long, value_name = "FILE")]
    pub(super) epd: Option<PathBuf>,
    /// Replace this file after each game by the standings: a page if its name ends with .html, else
    /// JSON. May be given twice.
    #[arg(long, value_name = "FILE")]
    pub(super) status: Vec<PathBuf>,
    /// Write a report in JSON to this file at the end.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Draw the standings to this file (SVG) at the end.
    #[arg(long, value_name = "FILE")]
    pub(super) plot: Option<PathBuf>,
    /// Keep the tournament in this file, and go on from there if it exists.
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    /// Go on from what a damaged file of --resume still holds; the file itself is kept as FILE.damaged, or
    /// FILE.damaged.2 and so on.
    #[arg(long, requires = "resume")]
    repair: bool,
}

/// `--engine` may stand several times with several words each.
#[derive(Debug, Default)]
struct EngineArguments {
    engines: Vec<Vec<String>>,
    each: Vec<String>,
}

impl FromArgMatches for EngineArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engines = matches.get_occurrences::<String>("engine");
        let each = matches.get_many::<String>("each");
        Ok(Self {
            engines: engines
                .map_or_else(Vec::new, |all| all.map(|e| e.cloned().collect()).collect()),
            each: each.map_or_else(Vec::new, |words| words.cloned().collect()),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for EngineArguments {
    fn augment_args(command: Command) -> Command {
        let words = |name: &'static str, help: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help(help)
        };
        command
            .arg(words("engine", "An engine; see above"))
            .arg(words(
                "each",
                "What holds for each engine that does not say otherwise, those of --engines-file \
                 included",
            ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The engines of a file. What `each` says goes before what the file says of each.
fn engines_of_file(path: &Path, each: &EngineWords) -> Result<Vec<EngineSpec>, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let text = read_file(path, LARGEST_FILE).map_err(|error| fault(&error))?;
    let text = String::from_utf8(text).map_err(|error| fault(&error))?;
    let (each_of_file, engines) = read_toml(&text).map_err(|error| fault(&error))?;
    let each = each.clone().or(&each_of_file);
    let specs = engines.into_iter().map(|engine| engine.spec(&each));
    specs
        .map(|spec| spec.map_err(|error| fault(&error)))
        .collect()
}

impl Arguments {
    /// The files that are read and written, with the options that name them.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        let openings = Path::new(&self.openings);
        let status = self
            .status
            .iter()
            .map(|path| ("--status", Some(path.as_path())));
        let files = [
            ("--openings", Some(openings).filter(|path| path.is_file())),
            ("--engines-file", self.engines_file.as_deref()),
            ("--pgn", self.pgn.as_deref()),
            ("--json", self.json.as_deref()),
            ("--plot", self.plot.as_deref()),
            ("--epd", self.epd.as_deref()),
            ("--resume", self.resume.as_deref()),
        ];
        let files = files.into_iter().chain(status);
        files
            .filter_map(|(option, path)| Some((option, path?)))
            .collect()
    }

    /// What to do about a damaged journal.
    pub(super) fn damage(&self) -> Damage {
        match self.repair {
            true => Damage::Repair,
            false => Damage::Refuse,
        }
    }

    /// The tournament that is asked for.
    ///
    /// # Errors
    /// Says what makes no sense, or which file cannot be read.
    pub(super) fn tournament(&self) -> Result<Tournament, Failure> {
        let engines = self.engine_specs()?;
        if self.sprt.is_some() && engines.len() != 2 {
            return Err(Failure::usage("--sprt", "only between two engines"));
        }
        let ends_by_test = self.sprt.is_some();
        let seeds = usize::from(self.seeds);
        if seeds >= engines.len() {
            return Err(Failure::usage("--seeds", "there are not so many engines"));
        }
        if seeds > 1 && self.format != TournamentFormat::Gauntlet {
            return Err(Failure::usage("--seeds", "only with --format gauntlet"));
        }
        if !self.event.chars().all(is_character) {
            return Err(Failure::usage(
                "--event",
                "control characters or noncharacters in the name",
            ));
        }
        Ok(Tournament {
            event: self.event.clone(),
            engines,
            format: self.format,
            seeds,
            colors: ColorOrder::new(self.noswap, self.reverse),
            rounds: self.rounds.or((!ends_by_test).then_some(10)),
            concurrency: usize::from(self.concurrency),
            wait: Duration::from_millis(u64::from(self.wait)),
            openings: self.opening_lines()?,
            rules: GameRules {
                rules: self.rules,
                longest: (self.max_plies > 0).then_some(self.max_plies),
                adjudication: Adjudication {
                    win: self.adjudicate_win,
                    draw: self.adjudicate_draw,
                    resign: self.resign,
                },
                tables: self.tables()?,
                banmoves: self.banmoves,
            },
            timeouts: Timeouts {
                ready: self.startup,
                untimed_move: self.patience,
            },
            has_details: self.pgn_details,
            pin: self.pin,
            sprt: self.sprt,
        })
    }

    /// The tables that end games.
    fn tables(&self) -> Result<Option<TableAdjudication>, Failure> {
        let paths = self.adjudicate_tables.as_ref();
        let open = |paths: &String| {
            TableAdjudication::open(paths)
                .map_err(|error| Failure::usage("--adjudicate-tables", error))
        };
        paths.map(open).transpose()
    }

    fn engine_specs(&self) -> Result<Vec<EngineSpec>, Failure> {
        let words = |option: &str, words: &[String]| {
            EngineWords::parse(words).map_err(|error| Failure::usage(option, error))
        };
        if self.engines_file.is_none() && self.engines.engines.len() < 2 {
            return Err(Failure::usage("--engine", "two engines are needed"));
        }
        let each = words("--each", &self.engines.each)?;
        let mut all = match &self.engines_file {
            Some(path) => engines_of_file(path, &each)?,
            None => Vec::new(),
        };
        for engine in &self.engines.engines {
            let engine = words("--engine", engine)?;
            let spec = engine.spec(&each);
            all.push(spec.map_err(|error| Failure::usage("--engine", error))?);
        }
        if all.len() < 2 {
            return Err(Failure::usage("--engine", "two engines are needed"));
        }
        for (number, engine) in all.iter().enumerate() {
            if all[..number].iter().any(|other| other.name == engine.name) {
                let why = format!(
                    "two engines are called {}: give each a name= of its own",
                    engine.name
                );
                return Err(Failure::usage("--engine", why));
            }
        }
        Ok(all)
    }

    fn opening_lines(&self) -> Result<Openings, Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::new(&self.openings, error);
        let mut openings = match self.openings.as_str() {
            "balanced" => Openings::balanced().map_err(|error| fault(&error))?,
            "start" => Openings::start(),
            path => {
                let bytes =
                    read_file(Path::new(path), LARGEST_FILE).map_err(|error| fault(&error))?;
                Openings::read(&pgn::decode(&bytes)).map_err(|error| fault(&error))?
            }
        };
        if let Some(plies) = self.opening_plies {
            openings.cut(plies);
        }
        openings.check(self.rules).map_err(|error| fault(&error))?;
        if let Some(seed) = self.shuffle {
            openings.shuffle(seed);
        }
        openings.skip(self.skip);
        Ok(openings)
    }
}
