//! The names of classes, such as `KRA-KAB`.

use std::fmt;
use std::str::FromStr;

use super::attackers::Attackers;
use super::group::Defenders;
use super::material::Material;
use crate::board::{Color, PieceKind};

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |f: &mut fmt::Formatter<'_>, group: Defenders| {
            (0..group.advisors).try_for_each(|_| f.write_str("A"))?;
            (0..group.bishops).try_for_each(|_| f.write_str("B"))
        };
        let attackers = |f: &mut fmt::Formatter<'_>, color: Color| {
            let mut kinds = self.attackers_of(color);
            kinds.try_for_each(|kind| write!(f, "{}", kind.letter()))
        };
        f.write_str("K")?;
        attackers(f, Color::Red)?;
        group(f, self.own())?;
        f.write_str("-K")?;
        attackers(f, Color::Black)?;
        group(f, self.defenders())
    }
}

/// The text names no class of endings that tables hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMaterialError {
    /// Not two sides with a king each.
    #[error("not two sides with a king each, such as KRA-KAB")]
    Form,
    /// A letter that is no piece, or too many of a kind.
    #[error("a side has one king, at most two advisors and two bishops, and R, N, C or P")]
    Pieces,
    /// More than two attackers, none, or one against two.
    #[error("one side has one or two attackers (R, N, C, P), the other none, or each side has one")]
    Attackers,
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    /// Reads a name such as `KRA-KAB` in letters of any case and any order within a side, the armed
    /// side first or second.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, second) = text.split_once('-').ok_or(ParseMaterialError::Form)?;
        let (first, second) = (read_side(first)?, read_side(second)?);
        if let ([one], [other]) = (&first.1[..], &second.1[..]) {
            let (attackers, is_swapped) =
                Attackers::two_sided(*one, *other).ok_or(ParseMaterialError::Pieces)?;
            return Ok(match is_swapped {
                true => Self::new(attackers, second.0, first.0),
                false => Self::new(attackers, first.0, second.0),
            });
        }
        let (armed, bare) = match second.1.is_empty() {
            true => (first, second),
            false => (second, first),
        };
        let attackers = Some(armed.1)
            .filter(|_| bare.1.is_empty())
            .and_then(|kinds| Attackers::of_kinds(&kinds));
        let attackers = attackers.ok_or(ParseMaterialError::Attackers)?;
        Ok(Self::new(attackers, armed.0, bare.0))
    }
}

/// A side's defenders and attackers.
fn read_side(text: &str) -> Result<(Defenders, Vec<PieceKind>), ParseMaterialError> {
    let rest = text.strip_prefix(['K', 'k']);
    let rest = rest.ok_or(ParseMaterialError::Form)?;
    let kind = |letter| PieceKind::from_letter(letter).ok_or(ParseMaterialError::Pieces);
    let kinds = rest.chars().map(kind).collect::<Result<Vec<_>, _>>()?;
    let count = |kind: PieceKind| kinds.iter().filter(|k| **k == kind).count();
    let counts = [PieceKind::King, PieceKind::Advisor, PieceKind::Bishop].map(count);
    let [0, advisors @ 0..=2, bishops @ 0..=2] = counts else {
        return Err(ParseMaterialError::Pieces);
    };
    let is_attacker = |k: &PieceKind| !matches!(k, PieceKind::Advisor | PieceKind::Bishop);
    let defenders = Defenders {
        advisors: advisors as u8,
        bishops: bishops as u8,
    };
    Ok((defenders, kinds.into_iter().filter(is_attacker).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_order_and_the_others_refused() {
        for (text, name) in [
            ("kra-kab", "KRA-KAB"),
            ("KBAPR-KBA", "KRPAB-KAB"),
            ("KAB-KRA", "KRA-KAB"),
            ("KPA-KR", "KR-KPA"),
            ("KN-KNA", "KNA-KN"),
        ] {
            assert_eq!(text.parse::<Material>().unwrap().to_string(), name);
        }
        for (text, error) in [
            ("", ParseMaterialError::Form),
            ("KR", ParseMaterialError::Form),
            ("R-K", ParseMaterialError::Form),
            ("KRX-K", ParseMaterialError::Pieces),
            ("KRK-K", ParseMaterialError::Pieces),
            ("KRAAA-K", ParseMaterialError::Pieces),
            ("KR-KPP", ParseMaterialError::Attackers),
            ("KA-KA", ParseMaterialError::Attackers),
            ("KRRR-K", ParseMaterialError::Attackers),
        ] {
            assert_eq!(text.parse::<Material>(), Err(error), "{text}");
        }
    }
}
