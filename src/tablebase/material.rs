//! Classes of endings: which pieces are on the board.

use std::fmt;
use std::str::FromStr;

use super::group::Defenders;
use crate::board::{Bitboard, Color, Piece, PieceKind, Position};

/// The combinations of attackers that tables know.
const ATTACKERS: [&[PieceKind]; Attackers::COUNT] = {
    use PieceKind::{Cannon as C, Knight as N, Pawn as P, Rook as R};
    [
        &[R],
        &[N],
        &[C],
        &[P],
        &[R, R],
        &[R, N],
        &[R, C],
        &[R, P],
        &[N, N],
        &[N, C],
        &[N, P],
        &[C, C],
        &[C, P],
        &[P, P],
    ]
};

/// One or two pieces that can cross the river, all of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attackers(u8);

impl Attackers {
    /// How many combinations there are.
    pub const COUNT: usize = 14;
    /// How many pieces a combination has at most.
    pub const MOST: usize = 2;

    /// Every combination, single pieces first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The kinds of the pieces, in the order rook, knight, cannon, pawn.
    #[inline]
    pub fn kinds(self) -> &'static [PieceKind] {
        ATTACKERS[self.0 as usize]
    }

    /// The combination of these kinds, whatever their order.
    pub fn of_kinds(kinds: &[PieceKind]) -> Option<Self> {
        let is = |known: &&[PieceKind]| {
            known.len() == kinds.len()
                && PieceKind::ALL.iter().all(|kind| {
                    let count = |kinds: &[PieceKind]| kinds.iter().filter(|k| *k == kind).count();
                    count(known) == count(kinds)
                })
        };
        ATTACKERS.iter().position(is).map(|i| Self(i as u8))
    }
}

/// A class of endings: the attackers of one side, and the advisors and bishops of both. The side
/// with attackers is called armed; tables know it as red.
///
/// ```
/// use chuhe::tablebase::Material;
///
/// let material: Material = "KRA-KAB".parse()?;
/// assert_eq!(material.to_string(), "KRA-KAB");
/// assert_eq!(material.attackers().kinds().len(), 1);
/// # Ok::<(), chuhe::tablebase::ParseMaterialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Material {
    attackers: Attackers,
    own: Defenders,
    defenders: Defenders,
}

impl Material {
    /// How many classes there are.
    pub const COUNT: usize = Attackers::COUNT * Defenders::COUNT * Defenders::COUNT;

    /// The class of these attackers, the defenders on their side, and those of the other side.
    pub const fn new(attackers: Attackers, own: Defenders, defenders: Defenders) -> Self {
        Self {
            attackers,
            own,
            defenders,
        }
    }

    /// Every class, each behind those that captures lead to.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::with_capacity(Self::COUNT);
        for attackers in Attackers::all() {
            for own in Defenders::all() {
                all.extend(Defenders::all().map(|defenders| Self::new(attackers, own, defenders)));
            }
        }
        all.sort_by_key(|m| m.attackers.kinds().len() + usize::from(m.defenders.pieces()));
        all
    }

    /// Number of the class, below [`Self::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        let groups = self.own.index() * Defenders::COUNT + self.defenders.index();
        self.attackers.0 as usize * Defenders::COUNT * Defenders::COUNT + groups
    }

    /// The attackers.
    #[inline]
    pub const fn attackers(self) -> Attackers {
        self.attackers
    }

    /// The advisors and bishops of the armed side.
    #[inline]
    pub const fn own(self) -> Defenders {
        self.own
    }

    /// The advisors and bishops of the other side.
    #[inline]
    pub const fn defenders(self) -> Defenders {
        self.defenders
    }

    /// The class once the attacker with this number is taken; `None` where it was the last.
    pub fn without_attacker(self, number: usize) -> Option<Self> {
        let kinds = self.attackers.kinds();
        let left: Vec<PieceKind> = (0..kinds.len())
            .filter(|i| *i != number)
            .map(|i| kinds[i])
            .collect();
        let attackers = Attackers::of_kinds(&left)?;
        Some(Self { attackers, ..self })
    }

    /// The class once an advisor or a bishop of the unarmed side is taken, if it has one.
    pub const fn without_defender(self, is_advisor: bool) -> Option<Self> {
        let defenders = match is_advisor {
            true => self.defenders.without_advisor(),
            false => self.defenders.without_bishop(),
        };
        match defenders {
            Some(defenders) => Some(Self { defenders, ..self }),
            None => None,
        }
    }

    /// The class in Chinese, as `车仕对士象`: the pieces of the armed side, then those of the other.
    pub fn chinese(self) -> String {
        let group = |group: Defenders, color: Color| {
            let piece = move |kind| Piece::new(kind, color).chinese();
            let advisors = (0..group.advisors).map(move |_| piece(PieceKind::Advisor));
            let bishops = (0..group.bishops).map(move |_| piece(PieceKind::Bishop));
            advisors.chain(bishops)
        };
        let attackers = self.attackers.kinds().iter();
        let attackers = attackers.map(|kind| Piece::new(*kind, Color::Red).chinese());
        let armed = attackers.chain(group(self.own, Color::Red));
        let bare: String = group(self.defenders, Color::Black).collect();
        let bare = if bare.is_empty() { "将" } else { &bare };
        format!("{}对{bare}", armed.collect::<String>())
    }

    /// The classes that one capture leads to.
    pub fn after_captures(self) -> Vec<Self> {
        let attackers = (0..self.attackers.kinds().len()).filter_map(|i| self.without_attacker(i));
        let defenders = [true, false].map(|is_advisor| self.without_defender(is_advisor));
        let mut classes: Vec<Self> = attackers.chain(defenders.into_iter().flatten()).collect();
        classes.dedup();
        classes
    }

    /// The class of a position and its armed side; `None` where no table could know it: attackers on
    /// both sides or on neither, more than two of them, or the promotion variant.
    #[inline]
    pub fn of(position: &Position) -> Option<(Self, Color)> {
        let [king, advisor, bishop] =
            [PieceKind::King, PieceKind::Advisor, PieceKind::Bishop].map(|k| position.kind(k));
        let attackers = position.occupied() & !(king | advisor | bishop);
        if attackers.is_empty() || attackers.without_first().more_than_one() {
            return None;
        }
        let armed = match (attackers & position.color(Color::Red)).any() {
            true => Color::Red,
            false => Color::Black,
        };
        if (attackers & position.color(!armed)).any() || position.has_promotion() {
            return None;
        }
        let defenders = |color: Color| {
            let count = |set: Bitboard| (set & position.color(color)).len() as u8;
            Defenders {
                advisors: count(advisor),
                bishops: count(bishop),
            }
        };
        let attackers = of_squares(position, attackers)?;
        let material = Self::new(attackers, defenders(armed), defenders(!armed));
        Some((material, armed))
    }
}

/// The combination of one or two pieces.
#[inline]
fn of_squares(position: &Position, squares: Bitboard) -> Option<Attackers> {
    /// The place of each pair of kinds, and of each kind alone.
    const PAIRS: [[u8; 4]; 4] = [[4, 5, 6, 7], [5, 8, 9, 10], [6, 9, 11, 12], [7, 10, 12, 13]];
    let place = |kind: PieceKind| match kind {
        PieceKind::Rook => Some(0),
        PieceKind::Knight => Some(1),
        PieceKind::Cannon => Some(2),
        PieceKind::Pawn => Some(3),
        _ => None,
    };
    let mut places = squares
        .into_iter()
        .filter_map(|s| place(position.piece_on(s)?.kind()));
    let first: usize = places.next()?;
    let number = match places.next() {
        None => first as u8,
        Some(second) => PAIRS[first][second],
    };
    Some(Attackers(number))
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |f: &mut fmt::Formatter<'_>, group: Defenders| {
            (0..group.advisors).try_for_each(|_| f.write_str("A"))?;
            (0..group.bishops).try_for_each(|_| f.write_str("B"))
        };
        f.write_str("K")?;
        for kind in self.attackers.kinds() {
            write!(f, "{}", kind.letter())?;
        }
        group(f, self.own)?;
        f.write_str("-K")?;
        group(f, self.defenders)
    }
}

/// The text names no class of endings that tables know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMaterialError {
    /// Not two sides with a king each.
    #[error("not two sides with a king each, such as KRA-KAB")]
    Form,
    /// A letter that is no piece, or too many of a kind.
    #[error("a side has one king, at most two advisors and two bishops, and R, N, C or P")]
    Pieces,
    /// Attackers on both sides, on neither, or more than two.
    #[error("one side has one or two attackers (R, N, C, P), the other none")]
    Attackers,
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    /// Reads a name such as `KRA-KAB` in letters of any case and any order within a side, the armed
    /// side first or second.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, second) = text.split_once('-').ok_or(ParseMaterialError::Form)?;
        let (first, second) = (read_side(first)?, read_side(second)?);
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
    fn names_round_trip_and_numbers_are_dense() {
        let all = Material::all();
        let mut seen = vec![false; Material::COUNT];
        for (place, material) in all.iter().enumerate() {
            assert_eq!(material.to_string().parse(), Ok(*material));
            assert!(!std::mem::replace(&mut seen[material.index()], true));
            for smaller in material.after_captures() {
                let before = all.iter().position(|m| *m == smaller);
                assert!(before.unwrap() < place, "{smaller} before {material}");
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn classes_have_chinese_names() {
        for (name, chinese) in [
            ("KR-K", "车对将"),
            ("KCAA-KAB", "炮仕仕对士象"),
            ("KNPB-KBB", "马兵相对象象"),
        ] {
            assert_eq!(name.parse::<Material>().unwrap().chinese(), chinese);
        }
    }

    #[test]
    fn names_are_read_in_any_order_and_the_others_refused() {
        for (text, name) in [
            ("kra-kab", "KRA-KAB"),
            ("KBAPR-KBA", "KRPAB-KAB"),
            ("KAB-KRA", "KRA-KAB"),
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
            ("KR-KP", ParseMaterialError::Attackers),
            ("KA-KA", ParseMaterialError::Attackers),
            ("KRRR-K", ParseMaterialError::Attackers),
        ] {
            assert_eq!(text.parse::<Material>(), Err(error), "{text}");
        }
    }

    #[test]
    fn positions_have_their_class() {
        for (fen, known) in [
            ("4ka3/9/9/9/9/9/9/9/9/R2K5 w", Some(("KR-KA", Color::Red))),
            (
                "4k3r/4a4/9/9/9/9/9/9/4A4/2BK5 w",
                Some(("KRA-KAB", Color::Black)),
            ),
            (
                "3k5/9/9/4pn3/9/9/9/9/9/5K3 b",
                Some(("KNP-K", Color::Black)),
            ),
            ("3k5/9/9/4pn3/9/9/9/9/9/R4K3 b", None),
            ("3k5/9/9/3PPP3/9/9/9/9/9/5K3 b", None),
            ("3ak4/9/9/9/9/9/9/9/9/5K3 b", None),
        ] {
            let class = Material::of(&fen.parse().unwrap());
            let class = class.map(|(material, armed)| (material.to_string(), armed));
            let known = known.map(|(name, armed)| (name.to_owned(), armed));
            assert_eq!(class, known, "{fen}");
        }
        for attackers in Attackers::all() {
            let mut setup = crate::board::Setup::empty();
            let mut put = |square: &str, kind, color| {
                let square: crate::board::Square = square.parse().unwrap();
                setup.squares[square.index()] = Some(crate::board::Piece::new(kind, color));
            };
            put("e9", PieceKind::King, Color::Black);
            put("d0", PieceKind::King, Color::Red);
            for (square, kind) in ["a5", "i5"].into_iter().zip(attackers.kinds()) {
                put(square, *kind, Color::Red);
            }
            let position = Position::try_from(&setup).unwrap();
            let (material, _) = Material::of(&position).unwrap();
            assert_eq!(material.attackers(), attackers);
        }
    }
}
