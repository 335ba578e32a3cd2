//! A library on another machine, as its workers see it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::employer::{Employer, EmployerError};
use super::wire::{
    FindingsMessage, GIVE_BACK, GiveBackMessage, HAND_IN, TAKE, TakeMessage, WorkMessage, kind_name,
};
use super::work::{Findings, Work};
use crate::cloud::client::{Client, ClientError};
use crate::cloud::store::TaskKind;

/// How many positions are taken at a time.
const BATCH: usize = 4;

/// A library behind an address.
#[derive(Debug)]
pub struct Remote(pub Client);

impl Remote {
    /// Tells whether the library lets us work for it.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub fn greet(&self) -> Result<(), ClientError> {
        self.post::<bool>(GIVE_BACK, &GiveBackMessage { lease: 0 })
            .map(drop)
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        message: &impl Serialize,
    ) -> Result<T, ClientError> {
        let no_reply = |error: serde_json::Error| ClientError::Reply(error.to_string());
        let body = serde_json::to_string(message).map_err(no_reply)?;
        serde_json::from_str(&self.0.post_json(path, body)?).map_err(no_reply)
    }
}

impl Employer for Remote {
    fn lease(&self, kind: TaskKind) -> Result<Option<Work>, EmployerError> {
        let question = TakeMessage {
            kind: kind_name(kind).to_owned(),
            count: BATCH,
        };
        let message: WorkMessage = self.post(TAKE, &question)?;
        if message.lease == 0 {
            return Ok(None);
        }
        message.read(kind).map(Some).ok_or(EmployerError::NotWork)
    }

    fn hand_in(&self, work: &Work, findings: &Findings) -> Result<(), EmployerError> {
        let message = FindingsMessage::new(work.lease, findings);
        self.post::<bool>(HAND_IN, &message)?;
        Ok(())
    }

    fn give_back(&self, work: &Work) {
        let message = GiveBackMessage { lease: work.lease };
        if let Err(error) = self.post::<bool>(GIVE_BACK, &message) {
            log::warn!("a task was not given back: {error}");
        }
    }
}
