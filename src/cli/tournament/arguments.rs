//! The arguments of `chuhe match`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::cli::check::as_setting;
use crate::cli::common::{
    Context, Failure, ForceArgument, RulesArgument, open_input, parse_seconds, read_small_text,
    refuse_if, require_distinct, require_extension,
};
use crate::notation::MoveStyle;
use crate::text::{counted, is_allowed_character, read_all};
use crate::tournament::stats::{Factors, Sprt, Spsa, SpsaRun};
use crate::tournament::{
    Adjudication, BALANCED, ColorOrder, EngineSpec, GameRules, OnDamage, OpeningError, Openings,
    PartialEngineSpec, ScoreDraw, ScoreWin, TablebaseAdjudication, Timeouts, Tournament,
    TournamentFormat, read_toml,
};

const MAX_OPENINGS_MB: u64 = 1024;

/// Play a tournament between engines that speak UCCI, UCI or XBoard
///
/// Example: chuhe match --engine ./one --engine ./two --each tc=10+0.1 --rounds 20 --pgn games.pgn
///
/// The settings of an engine are given as KEY=VALUE:
///   cmd=PROGRAM        the program; a path is relative to the current directory; a leading `cmd=` may be omitted
///   name=NAME          its name in tables and PGN (default: that of the program)
///   args=ARGUMENTS     its arguments, quoted as for a shell
///   dir=DIRECTORY      its working directory
///   proto=ucci|uci|xboard  its protocol (default: detected)
///   ranks=0|1          the number of the first rank in its coordinates (default: detected)
///   option.NAME=VALUE  a protocol option to set
///   init=LINE          a line to send after the options; may be repeated
///   tc=[MOVES/]TIME[+INCREMENT]  time control: seconds or minutes:seconds
///   movetime=MS, nodes=N, depth=N  limits per move instead of tc=; nodes and depth can be combined with a time
///   margin=MS          time margin: an overrun of up to this time does not lose the game (default: 100)
///   ponder=on          let it ponder
///   restart=on         restart it for each game
///   nice=N, cpus=LIST  its nice value and processors (such as 0-3,6)
///   stderr=FILE        append its standard error to this file
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, next_help_heading = "Tournament")]
pub struct Arguments {
    #[command(flatten)]
    engines: EngineArguments,
    /// Read engines from a TOML file: `[[engine]]` tables with the keys of --engine (args, init and cpus are
    /// lists, options is a table, ponder and restart are true or false), and a table `[each]` with defaults. The
    /// settings of --each take precedence over them.
    #[arg(long, value_name = "FILE", help_heading = "Engines")]
    engines_file: Option<PathBuf>,
    /// The format of the tournament.
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT", default_value_t)]
    format: TournamentFormat,
    /// Number of seeds of a gauntlet: the first engines, which play all others but not each other.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// Do not swap colors between the games of a pairing.
    #[arg(long, conflicts_with = "sprt")]
    noswap: bool,
    /// Give the first engine of a pairing black in the first game.
    #[arg(long)]
    reverse: bool,
    /// Number of games of each pairing in a round: 2 with the same opening, or 1. With 1, the colors change from round
    /// to round, unless --noswap is given.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    games: u8,
    /// Pause between two games in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=86_400_000))]
    wait: u32,
    /// Number of rounds; in each round every pairing plays one opening with both colors [default: 10, unlimited with
    /// --sprt, or `pairs` of the file with --spsa; in a Swiss tournament as many as a knockout of these engines has].
    /// In a knockout the number of openings in each match [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    rounds: Option<u64>,
    /// Number of games played at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// The openings: a file with one opening per line (FEN, EPD or moves) or with games in any format (`-` for standard
    /// input), `balanced` for the built-in list, or `start` for the starting position. Invalid openings of a file are
    /// reported and left out.
    #[arg(long, value_name = "FILE", default_value = "balanced", help_heading = "Openings")]
    pub openings: String,
    /// Use only the first N plies of each opening.
    #[arg(long, value_name = "N", help_heading = "Openings")]
    opening_plies: Option<usize>,
    /// Shuffle the openings; the same seed gives the same order.
    #[arg(long, value_name = "SEED", help_heading = "Openings")]
    shuffle: Option<u64>,
    /// Skip the first N openings; after the last opening the list starts again with the first.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Openings")]
    skip: usize,
    #[command(flatten, next_help_heading = "Rules and adjudication")]
    rules: RulesArgument,
    /// End games as draws after N plies; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 400, help_heading = "Rules and adjudication")]
    max_plies: usize,
    /// Send moves that lose by repetition to UCCI engines as `banmoves`.
    #[arg(long, help_heading = "Rules and adjudication")]
    banmoves: bool,
    /// Win adjudication when both engines agree, for example `score=500,moves=4` (`moves` is 4 by default). A score is
    /// in hundredths of the engine's unit: a minor piece for UCCI engines such as Chuhe, a pawn for most UCI engines.
    #[arg(long, value_name = "WHEN", help_heading = "Rules and adjudication")]
    adjudicate_win: Option<ScoreWin>,
    /// Draw adjudication when both engines agree, for example `score=10,moves=8,after=80`; `after` is the
    /// first ply at which it applies. `moves` is 8 and `after` 80 by default.
    #[arg(long, value_name = "WHEN", help_heading = "Rules and adjudication")]
    adjudicate_draw: Option<ScoreDraw>,
    /// End games whose result a tablebase proves: wins that the no-capture limit and repetitions cannot prevent, and
    /// draws that no rule on repetitions can change. The embedded tablebases are used, and those (*.chtb) in the
    /// directories DIRS, separated by `;`.
    #[arg(long, value_name = "DIRS", num_args = 0..=1, default_missing_value = "", help_heading = "Rules and adjudication")]
    adjudicate_tables: Option<String>,
    /// Resign adjudication by the score of the losing engine alone, for example `score=900,moves=4` (`moves` is 4 by
    /// default).
    #[arg(long, value_name = "WHEN", help_heading = "Rules and adjudication")]
    resign: Option<ScoreWin>,
    /// Stop when an SPRT accepts a hypothesis: `elo0=0,elo1=5`, optionally with `alpha=`, `beta=` (0.05)
    /// and `model=` (normalized or logistic).
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sprt>,
    /// Measure several changes in one match of an engine against itself. FILE is a TOML file with a table for each
    /// change: `[[factor]]`, `name = "TEXT"`, `[factor.options]`, `NAME = [OLD, NEW]`. For each pair of games every
    /// factor is switched at random: one engine has its old values, the other the new ones.
    #[arg(long, value_name = "FILE", conflicts_with = "sprt")]
    factors: Option<PathBuf>,
    /// Tune numeric options of an engine by a match against itself (SPSA). FILE is a TOML file with the planned number
    /// of pairs of games (`pairs = N`) and a table for each option: `[[parameter]]`, `name`, `value`, `min`, `max`,
    /// `step`. In each pair of games, one engine plays with values above the current ones and the other with values
    /// below them; the current values then move toward those of the winner.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sprt", "factors"])]
    spsa: Option<PathBuf>,
    /// Pin each game to processors of its own (Linux and Windows). Their number is the largest number of search threads
    /// (option `Threads`) of an engine or, if an engine ponders, the sum of the two largest.
    #[arg(long, help_heading = "Time")]
    pin: bool,
    /// Time limit for the handshake of an engine and for its response to isready.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = parse_seconds, help_heading = "Time")]
    startup: Duration,
    /// Time limit for a move with only nodes= or depth=.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = parse_seconds, help_heading = "Time")]
    patience: Duration,
    /// The PGN tag `Event`.
    #[arg(long, value_name = "NAME", default_value = "chuhe match")]
    event: String,
    /// Append the games to this PGN file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub pgn: Option<PathBuf>,
    /// Notation of the moves in the PGN; `coordinate` gives the same as `iccs`.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "NOTATION",
        default_value = "iccs",
        requires = "pgn",
        help_heading = "Output"
    )]
    pub notation: MoveStyle,
    /// Add nodes, selective depth, nodes per second, use of the hash table, tablebase hits, time left and principal
    /// variation to the PGN comments, as far as the engine reports them.
    #[arg(long, requires = "pgn", help_heading = "Output")]
    pgn_details: bool,
    /// Append the final position of each game to this EPD file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub epd: Option<PathBuf>,
    /// Rewrite this file with the standings after each game: HTML if its name ends with .html, otherwise
    /// JSON. May be repeated.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub status: Vec<PathBuf>,
    /// Write a JSON report to this file at the end.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Write a plot of the standings to this SVG file at the end.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Keep a journal of the tournament in this file, and resume from it if it exists.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub resume: Option<PathBuf>,
    /// Resume from the readable part of a damaged journal; a copy of the damaged journal is kept as FILE.damaged,
    /// FILE.damaged.2 and so on.
    #[arg(long, requires = "resume", help_heading = "Output")]
    repair: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub force: ForceArgument,
}

/// The values of `--engine`, one list for each time it is given, and of `--each`.
#[derive(Debug, Default)]
struct EngineArguments {
    engines: Vec<Vec<String>>,
    each: Vec<String>,
    /// See [`with_programs`].
    programs: Vec<String>,
}

/// Adds to the command an argument for programs that are given without `--engine`, so that the error can have a hint.
/// Only the parser needs the argument; man pages and completions would show it although it is hidden.
pub fn with_programs(command: Command) -> Command {
    command.arg(Arg::new("programs").num_args(1..).action(ArgAction::Append).hide(true))
}

impl FromArgMatches for EngineArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let engines = matches.get_occurrences::<String>("engine");
        let each = matches.get_many::<String>("each");
        let programs = matches.try_get_many::<String>("programs").ok().flatten();
        Ok(Self {
            engines: engines
                .map_or_else(Vec::new, |all| all.map(|e| e.cloned().collect()).collect()),
            each: each.map_or_else(Vec::new, |settings| settings.cloned().collect()),
            programs: programs.map_or_else(Vec::new, |programs| programs.cloned().collect()),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for EngineArguments {
    fn augment_args(command: Command) -> Command {
        let settings = |name: &'static str, help: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help_heading("Engines")
                .help(help)
        };
        command.arg(settings("engine", "An engine; see the settings above")).arg(settings(
            "each",
            "Default settings for each engine, including those of --engines-file",
        ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Whether a path is `-`, standard input or output.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The engines of a TOML file. The settings `each` of the command line take precedence over the table `[each]` of the
/// file, and the settings of an engine over both.
fn engines_of_file(path: &Path, each: &PartialEngineSpec) -> Result<Vec<EngineSpec>, Failure> {
    let text = read_small_text(path)?;
    let (each_of_file, engines) = read_toml(&text).context(path.display())?;
    let each = each.clone().or(&each_of_file);
    let specs = engines.into_iter().map(|engine| engine.spec(&each));
    specs.map(|spec| spec.context(path.display())).collect()
}

impl Arguments {
    /// The input files with their options; `-` is standard input.
    fn inputs(&self) -> impl Iterator<Item = (&str, &Path)> {
        let openings = Path::new(&self.openings);
        let files = [
            ("--openings", Some(openings).filter(|path| is_standard(path) || path.is_file())),
            ("--engines-file", self.engines_file.as_deref()),
            ("--factors", self.factors.as_deref()),
            ("--spsa", self.spsa.as_deref()),
        ];
        files.into_iter().filter_map(|(option, path)| Some((option, path?)))
    }

    /// All input and output files with their options, except standard input.
    pub fn files(&self) -> Vec<(&str, &Path)> {
        let status = self.status.iter().map(|path| ("--status", Some(path.as_path())));
        let outputs = [
            ("--pgn", self.pgn.as_deref()),
            ("--json", self.json.as_deref()),
            ("--plot", self.plot.as_deref()),
            ("--epd", self.epd.as_deref()),
            ("--resume", self.resume.as_deref()),
        ];
        let outputs = outputs.into_iter().chain(status);
        let outputs = outputs.filter_map(|(option, path)| Some((option, path?)));
        self.inputs().filter(|(_, path)| !is_standard(path)).chain(outputs).collect()
    }

    /// Returns an error if two files are the same, or if an output file has the extension of another format.
    pub fn check_files(&self) -> Result<(), Failure> {
        require_distinct(self.inputs().filter(|(_, path)| is_standard(path)))?;
        require_distinct(self.files())?;
        for (option, path) in self.files() {
            let own: &[&str] = match option {
                "--pgn" => &["pgn"],
                "--epd" => &["epd", "fen"],
                "--json" => &["json"],
                "--plot" => &["svg"],
                "--status" => &["html", "json"],
                "--resume" => &["jsonl", "json"],
                _ => continue,
            };
            require_extension(option, path, own)?;
        }
        Ok(())
    }

    fn default_rounds(&self, engines: usize) -> Option<u64> {
        match self.format {
            _ if self.sprt.is_some() => None,
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => Some(10),
            // As many as a knockout of these engines has.
            TournamentFormat::Swiss => {
                Some(u64::from(engines.next_power_of_two().trailing_zeros()))
            }
            TournamentFormat::Knockout => Some(1),
        }
    }

    pub fn on_damage(&self) -> OnDamage {
        if self.repair { OnDamage::Repair } else { OnDamage::Refuse }
    }

    /// The settings of the tournament, and the number of openings that were reported and left out.
    pub fn tournament(&self) -> Result<(Tournament, u64), Failure> {
        let is_setting = self.openings.starts_with("file=") && !Path::new(&self.openings).exists();
        let why = "expected the name of a file alone, without file=, format= and order=";
        refuse_if(is_setting, "--openings", why)?;
        let mut engines = self.engine_specs()?;
        let factors = self.factors(&mut engines)?;
        let spsa = self.spsa(&mut engines)?;
        let engine_count = engines.len();
        self.check_combinations(engine_count)?;
        let rules = self.game_rules()?;
        let (openings, left_out) = self.opening_lines(&rules)?;
        let tournament = Tournament {
            event: self.event.clone(),
            engines,
            format: self.format,
            seeds: usize::from(self.seeds),
            colors: ColorOrder::new(self.noswap, self.reverse),
            has_single_games: self.games == 1,
            rounds: (self.rounds)
                .or(spsa.as_ref().map(Spsa::pairs))
                .or(self.default_rounds(engine_count)),
            concurrency: usize::from(self.concurrency),
            wait: Duration::from_millis(u64::from(self.wait)),
            openings,
            rules,
            timeouts: Timeouts { ready: self.startup, untimed_move: self.patience },
            has_details: self.pgn_details,
            pin: self.pin,
            sprt: self.sprt,
            factors,
            spsa,
        };
        Ok((tournament, left_out))
    }

    fn game_rules(&self) -> Result<GameRules, Failure> {
        Ok(GameRules {
            rules: self.rules.rules,
            max_plies: (self.max_plies > 0).then_some(self.max_plies),
            adjudication: Adjudication {
                win: self.adjudicate_win,
                draw: self.adjudicate_draw,
                resign: self.resign,
            },
            tablebases: self.tablebases()?,
            banmoves: self.banmoves,
        })
    }

    /// Checks combinations of arguments for this number of engines.
    fn check_combinations(&self, engines: usize) -> Result<(), Failure> {
        refuse_if(self.sprt.is_some() && engines != 2, "--sprt", "needs exactly two engines")?;
        let is_paired_by_results =
            matches!(self.format, TournamentFormat::Swiss | TournamentFormat::Knockout);
        let excluded = [
            ("--sprt", self.sprt.is_some()),
            ("--noswap", self.noswap),
            ("--spsa", self.spsa.is_some()),
        ];
        for (option, is_given) in excluded {
            let why = format!("this format cannot be used with {option}");
            refuse_if(is_given && is_paired_by_results, "--format", why)?;
        }
        let needs_pairs = self.sprt.is_some() || self.factors.is_some() || self.spsa.is_some();
        let why =
            "1 can only be used in a round robin or gauntlet without --sprt, --factors and --spsa";
        refuse_if(self.games == 1 && (is_paired_by_results || needs_pairs), "--games", why)?;
        let why = "must be less than the number of engines";
        refuse_if(usize::from(self.seeds) >= engines, "--seeds", why)?;
        let is_gauntlet = self.format == TournamentFormat::Gauntlet;
        refuse_if(self.seeds > 1 && !is_gauntlet, "--seeds", "needs --format gauntlet")?;
        let why = "the name contains control characters or noncharacters";
        refuse_if(!self.event.chars().all(is_allowed_character), "--event", why)
    }

    /// Reads the factors and sets their options in the engines, so that messages of the engines about these options are
    /// shown before the first game.
    fn factors(&self, engines: &mut [EngineSpec]) -> Result<Option<Factors>, Failure> {
        let Some(path) = &self.factors else {
            return Ok(None);
        };
        let text = self.settings_of_two("--factors", path, engines.len())?;
        let factors = Factors::read_toml(&text).context(path.display())?;
        for (number, engine) in engines.iter_mut().enumerate() {
            engine.set_options(factors.options(0, number));
        }
        Ok(Some(factors))
    }

    /// Reads the parameters to tune and sets them in the engines, as [`Self::factors`] does.
    fn spsa(&self, engines: &mut [EngineSpec]) -> Result<Option<Spsa>, Failure> {
        let Some(path) = &self.spsa else {
            return Ok(None);
        };
        let text = self.settings_of_two("--spsa", path, engines.len())?;
        let spsa = Spsa::read_toml(&text).context(path.display())?;
        let options = SpsaRun::new(spsa.clone()).options(0);
        for (engine, options) in engines.iter_mut().zip(options) {
            engine.set_options(options);
        }
        Ok(Some(spsa))
    }

    /// Reads a file of options that vary between the two engines of a match.
    fn settings_of_two(
        &self,
        option: &'static str,
        path: &Path,
        engines: usize,
    ) -> Result<String, Failure> {
        let why = "needs exactly two engines and cannot be used with --noswap";
        refuse_if(engines != 2 || self.noswap, option, why)?;
        read_small_text(path)
    }

    fn tablebases(&self) -> Result<Option<TablebaseAdjudication>, Failure> {
        let paths = self.adjudicate_tables.as_ref();
        let open = |paths: &String| {
            TablebaseAdjudication::open(paths)
                .map_err(|error| Failure::usage("--adjudicate-tables", error))
        };
        paths.map(open).transpose()
    }

    fn engine_specs(&self) -> Result<Vec<EngineSpec>, Failure> {
        let parse = |option: &str, settings: &[String]| {
            PartialEngineSpec::parse(settings).map_err(|error| Failure::usage(option, error))
        };
        let settings = self.engines.engines.iter().flat_map(|all| all.iter().skip(1));
        let mut bare = settings.filter(|setting| !setting.contains('='));
        if let Some(program) = self.engines.programs.first().or(bare.next()) {
            let why =
                "not KEY=VALUE; write --engine before each program: --engine ./one --engine ./two";
            return Err(Failure::usage(program, why));
        }
        let each = parse("--each", &self.engines.each)?;
        let mut all = match &self.engines_file {
            Some(path) => engines_of_file(path, &each)?,
            None => Vec::new(),
        };
        let count = all.len() + self.engines.engines.len();
        refuse_if(count < 2, "--engine", "at least two engines are needed")?;
        for engine in &self.engines.engines {
            let mut settings = engine.clone();
            // The first setting may be a program without `cmd=`, as for `chuhe check`.
            if let Some(first) = settings.first_mut() {
                *first = as_setting(first);
            }
            let engine = parse("--engine", &settings)?;
            let spec = engine.spec(&each);
            all.push(spec.map_err(|error| Failure::usage("--engine", error))?);
        }
        for (number, engine) in all.iter().enumerate() {
            let has_name = |other: &EngineSpec| other.name == engine.name;
            let name = &engine.name;
            let why = format!("two engines have the name {name}: give each a different name=");
            refuse_if(all[..number].iter().any(has_name), "--engine", why)?;
        }
        Ok(all)
    }

    /// The openings without the invalid ones, which are reported and counted.
    fn opening_lines(&self, rules: &GameRules) -> Result<(Openings, u64), Failure> {
        let failure = |error: OpeningError| Failure::new(&self.openings, error);
        let plies = self.opening_plies.unwrap_or(usize::MAX);
        let rules = Some(rules);
        let read = |text: &str| Openings::read_valid(text, plies, rules).map_err(failure);
        let (mut openings, invalid) = match self.openings.as_str() {
            "balanced" => read(BALANCED)?,
            "start" => {
                let unused = [
                    ("--opening-plies", self.opening_plies.is_some()),
                    ("--shuffle", self.shuffle.is_some()),
                    ("--skip", self.skip > 0),
                ];
                for (option, is_given) in unused {
                    refuse_if(is_given, option, "has no effect with --openings start")?;
                }
                (Openings::start(), Vec::new())
            }
            path => {
                let file = open_input(Path::new(path)).context(path)?;
                let bytes = read_all(file, MAX_OPENINGS_MB).context(path)?;
                Openings::read_file(&bytes, plies, rules).map_err(failure)?
            }
        };
        let left_out = invalid.len() as u64;
        if self.openings == "balanced" && left_out > 0 {
            let count = counted(left_out, "opening");
            let why =
                format!("too long for the ply limit: {count}; --opening-plies shortens openings");
            Failure::new(&self.openings, why).report();
        } else {
            invalid.into_iter().for_each(|error| failure(error).report());
        }
        if let Some(seed) = self.shuffle {
            openings.shuffle(seed);
        }
        openings.skip(self.skip);
        Ok((openings, left_out))
    }
}
