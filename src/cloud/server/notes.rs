//! Notes on moves, at `/notes`: GET reads those of a position, POST writes one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use serde_json::{Value, json};

use super::caller::{
    Caller, FormRequest, JsonReply, ServerError, board_of, check_origin, parameters_of, text_of,
};
use super::shared::Shared;
use crate::board::Move;
use crate::cloud::Edge;
use crate::cloud::access::Role;
use crate::cloud::api::QueryParameters;
use crate::cloud::key::View;
use crate::cloud::store::{Note, NoteError, PlacedNote};
use crate::movegen::is_legal;
use crate::text::number_of_digits;

/// The notes on the moves of a position. In a symmetric position, a note is listed for a move and for its mirror image.
pub async fn list(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    parts: hyper::http::request::Parts,
) -> JsonReply {
    caller.require(Role::Read)?;
    caller.limit(&shared, 1.0)?;
    let board = board_of(&parameters_of(&parts.uri))?;
    let view = View::of(&board);
    let key = view.key.clone();
    let notes = shared
        .in_library(move |library| library.read(caller.role, |snapshot| snapshot.notes(&key)));
    let mut listed = Vec::new();
    for placed in notes.await? {
        let played = view.played(placed.m);
        listed.push(note_json(&view, &placed, played));
        let image = played.flip_file();
        if view.is_symmetric && image != played {
            listed.push(note_json(&view, &placed, image));
        }
    }
    Ok(Json(json!({ "notes": listed })))
}

fn note_json(view: &View, placed: &PlacedNote, played: Move) -> Value {
    let note = placed.note.clone().converted(view);
    json!({
        "move": played,
        "name": note.name,
        "comment": note.comment,
        "glyphs": note.glyphs,
        "private": note.private,
        "author": placed.author(),
        "time": placed.time,
    })
}

/// The parameters of a POST request.
const PARAMETERS: [&str; 7] = ["board", "move", "name", "comment", "glyphs", "private", "token"];

/// The parameter `private`. Any value that is not clearly on or off is an error, so that no note is made public by
/// mistake.
fn is_private(form: &QueryParameters) -> Result<bool, ServerError> {
    let value = form.get("private").unwrap_or("").to_ascii_lowercase();
    match value.as_str() {
        "" | "0" | "false" | "off" | "no" => Ok(false),
        _ if form.is_on("private", false) => Ok(true),
        _ => Err(ServerError::parameter("private must be 0 or 1")),
    }
}

/// Writes a note, or deletes it if name, comment, glyphs and `private` are all missing or empty.
pub async fn write(State(shared): State<Arc<Shared>>, request: Request) -> JsonReply {
    let request = FormRequest::from_request(request, &shared).await?;
    let caller = request.caller(&shared, Role::Write)?;
    check_origin(&shared, &request.parts)?;
    request.require_known(&PARAMETERS)?;
    let form = request.form;
    let board = board_of(&form)?;
    let played = form.get("move").and_then(|text| text.parse::<Move>().ok());
    let Some(played) = played.filter(|m| is_legal(&board, *m)) else {
        return Err(ServerError::parameter("move must be a legal move such as h2e2"));
    };
    let glyphs = form.get("glyphs").unwrap_or("").split([' ', ',']).filter(|word| !word.is_empty());
    let glyphs: Option<Vec<u8>> = glyphs.map(|word| number_of_digits::<u8>(word, 10)).collect();
    let invalid = |error: NoteError| ServerError::parameter(error.to_string());
    let note = Note {
        name: text_of(&form, "name")?,
        comment: text_of(&form, "comment")?,
        glyphs: glyphs.ok_or_else(|| invalid(NoteError::Glyph))?,
        private: is_private(&form)?,
        author: String::new(),
    };
    note.check().map_err(invalid)?;
    let view = View::of(&board);
    let note = note.converted(&view);
    let edge = Edge::of(&board, &view, played);
    let written = shared.in_library(move |library| {
        library.store.write(move |batch| batch.annotate(&edge, &note, &caller.name))
    });
    match written.await? {
        Ok(is_changed) => Ok(Json(json!({ "status": "ok", "changed": is_changed }))),
        Err(error) => Err(invalid(error)),
    }
}
