//! The actions of the cloud API, from parameters to replies.

mod board;
mod engine;
mod learning;
mod list;
mod pace;
mod play;
mod question;
mod rules;
mod tables;
#[cfg(test)]
mod tests;
mod walk;
#[cfg(test)]
mod walk_tests;
mod writing;
#[cfg(test)]
mod writing_tests;

use super::fen;
use super::parameters::QueryParameters;
use super::reply::{ApiReply, ReplyFormat};
use super::store::StoreError;
use crate::cloud::access::Role;
use board::QueriedPosition;
use play::Choice;
use question::Question;

pub use board::Rounding;
pub use pace::Done;
pub use question::{Library, LibraryOptions};

/// The client of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker<'a> {
    /// The name under which writes are noted.
    pub name: &'a str,
    /// What may be asked.
    pub role: Role,
}

/// A reply with the way it is wrapped.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The reply in the format that the request asks for.
    pub body: String,
    /// Whether the body is JSON.
    pub is_json: bool,
}

impl Answer {
    /// Text as it stands.
    pub fn text(body: String) -> Self {
        Self {
            body,
            is_json: false,
        }
    }
}

impl Library {
    /// Answers a request.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn answer(
        &self,
        parameters: &QueryParameters,
        asker: Asker<'_>,
    ) -> Result<Answer, StoreError> {
        let is_json = parameters.is_on("json", false);
        let answer = |reply: &ApiReply, format| Answer {
            body: reply.to_bytes(format),
            is_json,
        };
        let bare = match is_json {
            true => ReplyFormat::Json,
            false => ReplyFormat::Bare,
        };
        let framed = ReplyFormat::framed(is_json);
        let Some(action) = parameters.get_filled("action") else {
            return Ok(Answer {
                is_json,
                ..Answer::text(String::new())
            });
        };
        let Some(text) = parameters.get_filled("board") else {
            return Ok(answer(&ApiReply::Status("invalid parameters"), bare));
        };
        if asker.role < Role::Read {
            return Ok(answer(&ApiReply::Status("tokenerror"), framed));
        }
        let Some(position) = fen::parse(text) else {
            return Ok(answer(&ApiReply::Status("invalid board"), framed));
        };
        let question = Question {
            parameters,
            text,
            board: QueriedPosition::new(position, self.options.rounding),
            banned: parameters.banned(),
            learn: parameters.is_on("learn", true),
            shows_all: parameters.is_on("showall", false),
            may_write_tasks: asker.role >= Role::Queue,
            may_write_scores: asker.role >= Role::Write,
            writer: asker.name,
        };
        Ok(answer(&self.reply(action, &question, asker.role)?, framed))
    }

    fn reply(
        &self,
        action: &str,
        question: &Question<'_>,
        role: Role,
    ) -> Result<ApiReply, StoreError> {
        let refused = ApiReply::Status("tokenerror");
        match action {
            "queryall" => self.query_all(question),
            "query" => self.query_move(question, Choice::Good),
            "querybest" => self.query_move(question, Choice::Best),
            "querylearn" => self.query_move(question, Choice::Learn),
            "querysearch" => self.query_move(question, Choice::Search),
            "queryscore" => self.query_score(question),
            "querypv" => self.query_line(question),
            "queryrule" => Ok(rules::query_rule(question)),
            "rulecheck" => Ok(rules::rule_check(question)),
            "queue" | "store" | "queryengine" if role < Role::Queue => Ok(refused),
            "queue" => self.queue(question),
            "queryengine" => Ok(self.query_engine(question)),
            "store" => match question.parameters.get("score") {
                None => self.store_move(question),
                Some(_) if role < Role::Write => Ok(refused),
                Some(score) => self.store_score(question, score),
            },
            _ => Ok(ApiReply::Empty),
        }
    }
}
