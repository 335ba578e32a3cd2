//! The actions of the cloud API, from parameters to replies.

mod actions;
mod activity;
mod engine;
mod game;
mod learning;
mod position;
mod query;
mod tablebase;
#[cfg(test)]
pub mod tests;
mod walk;

use super::access::Role;
use super::api::{ApiReply, QueryParameters, ReplyFormat};
use super::fen;
use super::store::StoreError;
use crate::movegen::has_legal_move;
use actions::Choice;
use position::{QueriedPosition, without_moves};
use query::Query;

pub use activity::WorkCount;
pub use position::Rounding;
pub use query::{Library, LibraryOptions};

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub body: String,
    pub is_json: bool,
}

impl Library {
    /// Answers a request of the API. `writer` is the name of the client in the audit log.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn answer(
        &self,
        parameters: &QueryParameters,
        role: Role,
        writer: &str,
    ) -> Result<Answer, StoreError> {
        let is_json = parameters.is_on("json", false);
        let answer = |reply: &ApiReply, format| Answer { body: reply.encode(format), is_json };
        let format = ReplyFormat::json_or_text(is_json);
        let bare = if is_json { format } else { ReplyFormat::Bare };
        let Some(action) = parameters.get("action") else {
            let body = String::new();
            return Ok(Answer { body, is_json });
        };
        let Some(text) = parameters.get_nonempty("board") else {
            return Ok(answer(&ApiReply::Status("invalid parameters"), bare));
        };
        if role < Role::Read {
            return Ok(answer(&ApiReply::Status("tokenerror"), format));
        }
        let Some(position) = fen::parse(text) else {
            return Ok(answer(&ApiReply::Status("invalid board"), format));
        };
        let query = Query {
            parameters,
            text,
            board: QueriedPosition::new(position, self.options.rounding),
            banned: parameters.banned(),
            learn: parameters.is_on("learn", true),
            shows_all: parameters.is_on("showall", false),
            role,
            writer,
        };
        Ok(answer(&self.reply(action, &query)?, format))
    }

    fn reply(&self, action: &str, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let refused = ApiReply::Status("tokenerror");
        let position = &query.board.position;
        match action {
            "queryall" | "queryscore" | "querypv" if !has_legal_move(position) => {
                Ok(without_moves(position))
            }
            "queryall" => self.query_all(query),
            "query" => self.query_move(query, Choice::Good),
            "querybest" => self.query_move(query, Choice::Best),
            "querylearn" => self.query_move(query, Choice::Learn),
            "querysearch" => self.query_move(query, Choice::Search),
            "queryscore" => self.query_score(query),
            "querypv" => self.query_line(query),
            "queryrule" => Ok(game::query_rule(query)),
            "rulecheck" => Ok(game::rule_check(query)),
            "queue" | "store" | "queryengine" if query.role < Role::Queue => Ok(refused),
            "queue" => self.queue(query),
            "queryengine" => Ok(self.query_engine(query)),
            "store" => match query.parameters.get("score") {
                None => self.store_move(query),
                Some(_) if query.role < Role::Write => Ok(refused),
                Some(score) => self.store_score(query, score),
            },
            _ => Ok(ApiReply::Empty),
        }
    }
}
