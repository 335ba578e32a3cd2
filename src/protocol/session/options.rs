//! Setting options, and the effects of their new values.

use std::sync::Arc;
use std::time::Instant;

use super::adjudication::Adjudicator;
#[cfg(feature = "cloud")]
use super::cloud::Cloud;
use super::state::Session;
use crate::book::BookLibrary;
use crate::eval::nnue::Network;
use crate::protocol::options::{self, Effect, OptionChange, Preferences, default_books};
use crate::tablebase::Tables;
use crate::text::{excerpt, fill, path_of_name, texts, translated};

impl Session {
    /// Sets an option. An unknown one is ignored, and reported in debug mode: clients set the options that they
    /// support, not those that the engine lists.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut preferences = self.preferences.clone();
        match options::set(name, value, &mut preferences) {
            None => {
                log::info!("no option {name}");
                if self.preferences.debug {
                    self.message(&fill(texts().unknown_option, &[&excerpt(name)]));
                }
            }
            Some(Err(error)) => self.refuse("setoption", &error),
            Some(Ok(OptionChange { name, effect, note })) => {
                match (self.apply(preferences, name, effect), note) {
                    (Err(error), _) => self.refuse("setoption", &error),
                    (Ok(()), Some(note)) => self.message(&note),
                    (Ok(()), None) => {}
                }
            }
        }
    }

    /// Whether setting an option changes how lines are parsed: the unit of their times or the numbering of the ranks.
    pub fn option_changes_parsing(&self, name: &str, value: Option<&str>) -> bool {
        let mut after = self.preferences.clone();
        let _ = options::set(name, value, &mut after);
        let meaning = |p: &Preferences| (p.time_unit(), p.ranks());
        meaning(&after) != meaning(&self.preferences)
    }

    /// Adopts the preferences after a change of one option. If the memory or the threads for the new value are not
    /// available, or the network cannot be loaded, the option stays as it was and the error is returned.
    fn apply(
        &mut self,
        preferences: Preferences,
        name: &str,
        effect: Effect,
    ) -> Result<(), String> {
        let is_changed = preferences != self.preferences;
        let result = match effect {
            Effect::Resize if is_changed => self.resize(preferences.hash_size),
            Effect::Threads if is_changed => self.set_threads(preferences.threads),
            Effect::Network => {
                let loaded = self.load_network(&preferences.network);
                loaded.map_err(|error| format!("{name}: {error}"))
            }
            _ => Ok(()),
        };
        if let Err(error) = result {
            // A network of Pikafish is refused, but shows how the client counts ranks.
            self.preferences.shown_ranks = preferences.shown_ranks;
            return Err(error);
        }
        let before = std::mem::replace(&mut self.preferences, preferences);
        if !before.settings().scores_like(&self.preferences.settings()) {
            self.pool.forget();
        }
        match effect {
            Effect::Books => self.open_books(name),
            Effect::Tables => self.open_tables(name),
            #[cfg(feature = "cloud")]
            Effect::Cloud => self.open_cloud(name),
            #[cfg(feature = "tune")]
            Effect::Parameter(parameter, value) => parameter.set(value),
            Effect::NewGame => self.new_game(),
            Effect::ClearHash if is_changed => self.pool.forget(),
            Effect::Position if is_changed => self.parse_position_again(),
            _ => {}
        }
        Ok(())
    }

    /// Clears what earlier searches have left, and the counts for draw offers and resignation. The position stays.
    pub fn new_game(&mut self) {
        self.pool.forget();
        self.prepare();
        self.adjudicator = Adjudicator::default();
    }

    /// Does now what would delay the first search: provides the memory of the hash table, and reads the embedded
    /// endgame tablebases.
    pub fn prepare(&mut self) {
        self.pool.prepare();
        self.tables();
    }

    fn parse_position_again(&mut self) {
        self.pool.forget();
        let result = self.game.parse_again(self.preferences.promotion);
        self.report_position(result);
    }

    /// Opens the books of the preferences and reports those that cannot be used, with the name of the option.
    pub fn open_books(&mut self, name: &str) {
        let default = default_books(self.protocol);
        let files = self.preferences.books.as_deref().unwrap_or(default);
        let (books, problems) = BookLibrary::open(files);
        self.books = books;
        for problem in problems {
            self.refuse(name, &problem);
        }
    }

    /// Loads the network of a file, or the embedded one for an empty path.
    fn load_network(&mut self, path: &str) -> Result<(), String> {
        let network = if path.is_empty() {
            None
        } else {
            let network = Network::open(&path_of_name(path));
            Some(Arc::new(network.map_err(|error| format!("{}: {error}", excerpt(path)))?))
        };
        if self.network != network {
            self.network = network;
            self.pool.forget();
        }
        Ok(())
    }

    /// Opens the endgame tablebases of the preferences in addition to the embedded ones, and reports files that cannot
    /// be used, with the name of the option.
    fn open_tables(&mut self, name: &str) {
        let (tables, skipped) = Tables::open(&self.preferences.table_paths);
        for file in skipped {
            let (path, error) = (file.path.display().to_string(), file.error.to_string());
            self.message(&fill(texts().table_not_used, &[name, &path, &translated(&error)]));
        }
        log::info!("{} endgame tablebases", tables.iter().count());
        self.tables = Some(tables);
        self.pool.forget();
    }

    #[cfg(feature = "cloud")]
    fn open_cloud(&mut self, name: &str) {
        self.cloud = None;
        if self.preferences.cloud.is_empty() {
            return;
        }
        match Cloud::open(&self.preferences.cloud) {
            Ok(cloud) => self.cloud = Some(cloud),
            Err(error) => self.refuse(name, &error.to_string()),
        }
    }

    /// The endgame tablebases to probe: none with the option off, in the promotion variant and below full strength.
    pub fn tables(&mut self) -> Option<Arc<Tables>> {
        let preferences = &self.preferences;
        let are_used =
            preferences.use_tables && !preferences.promotion && preferences.strength().is_none();
        are_used.then(|| self.tables.get_or_insert_with(Tables::embedded).clone())
    }

    /// Reports the tables that the search has found damaged, each once.
    pub fn report_damaged_tables(&mut self) {
        let errors = self.tables.as_ref().map(|tables| tables.unreported_damage());
        for error in errors.unwrap_or_default() {
            self.message(&fill(texts().damaged_table, &[&translated(&error)]));
        }
    }

    fn resize(&mut self, megabytes: usize) -> Result<(), String> {
        let size = self.pool.set_hash_size(megabytes);
        let size = size.map_err(|error| error.to_string())?;
        let began = Instant::now();
        self.pool.prepare();
        let elapsed = began.elapsed().as_millis();
        log::info!("hash table of {size} MB, provided by the system in {elapsed} ms");
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let threads = self.pool.set_threads(threads);
        let threads = threads.map_err(|error| error.to_string())?;
        log::info!("{threads} search threads");
        Ok(())
    }
}
