//! Setting options.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::Session;
use super::draw_resign::DrawResign;
use crate::eval::nnue::Network;
use crate::protocol::options::{self, OptionChange, ParsedOption};
use crate::protocol::reply::Reply;
use crate::protocol::strength;
use crate::protocol::text::excerpt;
use crate::tablebase::Tables;

impl<W: Write> Session<W> {
    /// Sets an option. An unknown one is ignored, since clients set what they support, not what they were
    /// told; it is reported when debugging.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        match options::read(name, value) {
            None => {
                log::info!("no option {name}");
                if self.preferences.debug {
                    let text = format!("unknown option: {}", excerpt(name));
                    self.send(&Reply::Message(&text));
                }
            }
            Some(Err(error)) => self.refuse("setoption", &error.to_string()),
            Some(Ok(ParsedOption { change, note })) => {
                if let Some(note) = note {
                    self.send(&Reply::Message(&note));
                }
                self.apply(change);
            }
        }
    }

    fn apply(&mut self, change: OptionChange) {
        let before = self.preferences.settings();
        let preferences = &mut self.preferences;
        match change {
            OptionChange::Milliseconds(on) => preferences.milliseconds = on,
            OptionChange::Batch(on) => preferences.batch = on,
            OptionChange::Debug(on) => preferences.debug = on,
            OptionChange::Ponder(on) => preferences.search.ponder = on,
            OptionChange::Promotion(on) => self.set_promotion(on),
            OptionChange::Resign(on) => preferences.resign = on,
            OptionChange::Draw(on) => preferences.draw = on,
            OptionChange::HashSize(megabytes) => self.set_hash_size(megabytes),
            OptionChange::Threads(threads) => self.set_threads(threads),
            OptionChange::MultiPv(lines) => preferences.search.multipv = lines,
            OptionChange::Idle(level) => preferences.search.idle = level,
            OptionChange::Rules(rules) => preferences.search.rules = rules,
            OptionChange::Pruning(level) => preferences.search.pruning = level,
            OptionChange::Knowledge(level) => preferences.search.knowledge = level,
            OptionChange::Randomness(randomness) => preferences.search.randomness = randomness,
            OptionChange::Style(style) => preferences.search.style = style,
            OptionChange::NoCaptureDraws(on) => preferences.search.no_capture_draws = on,
            OptionChange::Driver(driver) => preferences.search.techniques.driver = driver,
            OptionChange::NullMove(on) => preferences.search.techniques.null_move = on,
            OptionChange::NullMoveVerification(on) => {
                preferences.search.techniques.null_move_verification = on;
            }
            OptionChange::Hash(on) => preferences.search.techniques.hash = on,
            OptionChange::HashWindow(on) => preferences.search.techniques.hash_window = on,
            OptionChange::Iterative(on) => preferences.search.techniques.iterative = on,
            OptionChange::CurrentLines(on) => preferences.search.reports.current_lines = on,
            OptionChange::Refutations(on) => preferences.search.reports.refutations = on,
            OptionChange::MoveOverhead(millis) => {
                preferences.move_overhead = Duration::from_millis(millis as u64);
            }
            OptionChange::ShowWdl(on) => preferences.show_wdl = on,
            OptionChange::LimitStrength(on) => preferences.limit_strength = on,
            OptionChange::Elo(elo) => {
                preferences.elo = u32::try_from(elo).unwrap_or(strength::MAX_ELO);
            }
            OptionChange::AnalyseMode(on) => preferences.analyse_mode = on,
            OptionChange::Opponent(opponent) => preferences.opponent = opponent,
            OptionChange::Network(path) => self.set_network(&path),
            OptionChange::UseBook(on) => self.set_use_book(on),
            OptionChange::BookFiles(files) => self.name_books(&files),
            OptionChange::UseTables(on) => self.set_use_tables(on),
            OptionChange::TablePaths(paths) => self.set_table_paths(&paths),
            #[cfg(feature = "cloud")]
            OptionChange::Cloud(address) => self.set_cloud(&address),
            OptionChange::NewGame => self.new_game(),
            OptionChange::Nothing => {}
            #[cfg(feature = "tune")]
            OptionChange::Parameter(parameter, value) => parameter.set(value),
        }
        if !before.scores_like(&self.preferences.settings()) {
            self.pool.forget();
        }
    }

    /// Forgets the last game; the board stays as it is.
    pub(super) fn new_game(&mut self) {
        self.pool.forget();
        self.draw_resign = DrawResign::default();
    }

    /// Turns the promotion variant on or off, and reads the position by its rules.
    fn set_promotion(&mut self, on: bool) {
        if self.preferences.promotion == on {
            return;
        }
        self.preferences.promotion = on;
        self.pool.forget();
        if let Err(error) = self.game.read_again(on) {
            self.refuse("position", &error.to_string());
        }
    }

    /// Loads the network of a file, or none for an empty path. A file that holds none changes nothing.
    fn set_network(&mut self, path: &str) {
        let network = match path {
            "" => None,
            _ => match Network::open(Path::new(path)) {
                Ok(network) => Some(Arc::new(network)),
                Err(error) => {
                    let text = format!("{}: {error}", excerpt(path));
                    return self.refuse("setoption", &text);
                }
            },
        };
        if self.network != network {
            self.network = network;
            self.pool.forget();
        }
    }

    fn set_use_tables(&mut self, on: bool) {
        if self.preferences.use_tables != on {
            self.preferences.use_tables = on;
            self.pool.forget();
        }
    }

    /// Takes the tables of these directories beside the embedded ones; what is none is reported.
    fn set_table_paths(&mut self, paths: &str) {
        let (tables, skipped) = Tables::open(paths);
        for file in skipped {
            self.refuse("setoption", &format!("egtbpaths: {file}"));
        }
        log::info!("{} endgame tables", tables.iter().count());
        self.tables = Some(tables);
        self.pool.forget();
    }

    /// The tables to look positions up in; none with the option off, in the promotion variant and for a player
    /// below full strength.
    pub(super) fn tables(&mut self) -> Option<Arc<Tables>> {
        let preferences = &self.preferences;
        let are_used =
            preferences.use_tables && !preferences.promotion && preferences.strength().is_none();
        are_used.then(|| self.tables.get_or_insert_with(Tables::embedded).clone())
    }

    /// Reports the tables that the search has found damaged, each once.
    pub(super) fn report_table_faults(&mut self) {
        let faults = self
            .tables
            .as_ref()
            .map(|tables| tables.unreported_damage());
        for fault in faults.unwrap_or_default() {
            self.send(&Reply::Message(&format!("endgame table {fault}")));
        }
    }

    fn set_hash_size(&mut self, megabytes: usize) {
        if self.preferences.hash_size == megabytes {
            return;
        }
        match self.pool.set_hash_size(megabytes) {
            Ok(in_force) => {
                log::info!("hash table of {in_force} MB");
                self.preferences.hash_size = megabytes;
            }
            Err(error) => self.refuse("setoption", &error.to_string()),
        }
    }

    fn set_threads(&mut self, threads: usize) {
        if self.preferences.threads == threads {
            return;
        }
        match self.pool.set_threads(threads) {
            Ok(in_force) => {
                log::info!("{in_force} search threads");
                self.preferences.threads = threads;
            }
            Err(error) => self.refuse("setoption", &error.to_string()),
        }
    }
}
