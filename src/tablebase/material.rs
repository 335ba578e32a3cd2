//! Classes of endings: which pieces are on the board.

use super::attackers::Attackers;
use super::group::Defenders;
use crate::board::{Bitboard, Color, Piece, PieceKind, Position};

/// A class of endings: the attackers of one side or one attacker of each, and the advisors and bishops
/// of both. The side with attackers, or of two the one with the first in the order rook, knight, cannon,
/// pawn, is called armed; tables store it as red.
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
    /// Upper bound of the numbers of classes.
    pub const COUNT: usize = Attackers::COUNT * Defenders::COUNT * Defenders::COUNT;

    /// The class of these attackers, the defenders on their side, and those of the other side. Of two sides
    /// with attackers of one kind, the one with more defenders is called armed.
    pub fn new(attackers: Attackers, own: Defenders, defenders: Defenders) -> Self {
        let (own, defenders) = match Self::is_swapped(attackers, own, defenders) {
            true => (defenders, own),
            false => (own, defenders),
        };
        Self {
            attackers,
            own,
            defenders,
        }
    }

    /// Whether the class is named with its sides exchanged.
    #[inline]
    fn is_swapped(attackers: Attackers, own: Defenders, defenders: Defenders) -> bool {
        let kinds = attackers.kinds();
        attackers.is_two_sided() && kinds[0] == kinds[1] && own.index() < defenders.index()
    }

    /// Every class, each behind those that captures lead to.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::with_capacity(Self::COUNT);
        for attackers in Attackers::all() {
            for own in Defenders::all() {
                let classes =
                    Defenders::all().map(|defenders| Self::new(attackers, own, defenders));
                all.extend(classes.filter(|class| class.own == own));
            }
        }
        all.sort_by_key(|m| {
            let own = if m.is_two_sided() { m.own.pieces() } else { 0 };
            let pieces = m.attackers.kinds().len() + usize::from(m.defenders.pieces() + own);
            (m.is_two_sided(), pieces)
        });
        all
    }

    /// Whether each side has an attacker. What such a class is worth depends on the rules on repetitions.
    #[inline]
    pub const fn is_two_sided(self) -> bool {
        self.attackers.is_two_sided()
    }

    /// Number of the class, below [`Self::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        let groups = self.own.index() * Defenders::COUNT + self.defenders.index();
        self.attackers.index() * Defenders::COUNT * Defenders::COUNT + groups
    }

    /// The pieces beside kings, advisors and bishops: of the armed side, or one of each side.
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
        // The side that is left with an attacker is called armed.
        Some(match self.is_two_sided() && number == 0 {
            true => Self::new(attackers, self.defenders, self.own),
            false => Self::new(attackers, self.own, self.defenders),
        })
    }

    /// The class once an advisor or a bishop of the side that is not called armed is taken, if it has one.
    pub fn without_defender(self, is_advisor: bool) -> Option<Self> {
        let defenders = self.defenders.without(is_advisor)?;
        Some(Self::new(self.attackers, self.own, defenders))
    }

    /// The class once an advisor or a bishop of the armed side is taken, if it has one and the other side
    /// an attacker.
    pub fn without_own(self, is_advisor: bool) -> Option<Self> {
        let own = self
            .own
            .without(is_advisor)
            .filter(|_| self.is_two_sided())?;
        Some(Self::new(self.attackers, own, self.defenders))
    }

    /// The class in Chinese, as `车仕对士象`: the pieces of the armed side, then those of the other.
    pub fn chinese(self) -> String {
        let side = |color: Color, group: Defenders| -> String {
            let attackers = self.attackers_of(color);
            let advisors = (0..group.advisors).map(|_| PieceKind::Advisor);
            let bishops = (0..group.bishops).map(|_| PieceKind::Bishop);
            let kinds = attackers.chain(advisors).chain(bishops);
            kinds
                .map(|kind| Piece::new(kind, color).chinese())
                .collect()
        };
        let other = side(Color::Black, self.defenders);
        let other = if other.is_empty() { "将" } else { &other };
        format!("{}对{other}", side(Color::Red, self.own))
    }

    /// The attackers of the armed side, red, or of the other.
    pub(super) fn attackers_of(self, color: Color) -> impl Iterator<Item = PieceKind> {
        let colors = self.attackers.colors().into_iter();
        let pieces = self.attackers.kinds().iter().zip(colors);
        pieces
            .filter(move |(_, owner)| *owner == color)
            .map(|(kind, _)| *kind)
    }

    /// The classes that one capture leads to.
    pub fn after_captures(self) -> Vec<Self> {
        let attackers = (0..self.attackers.kinds().len()).filter_map(|i| self.without_attacker(i));
        let groups = [true, false].map(|is_advisor| {
            [
                self.without_defender(is_advisor),
                self.without_own(is_advisor),
            ]
        });
        let mut classes: Vec<Self> = Vec::new();
        for class in attackers.chain(groups.into_iter().flatten().flatten()) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        classes
    }

    /// The class of a position and its armed side; `None` where no table could hold it: more attackers
    /// than two, none, or the promotion variant.
    #[inline]
    pub fn of(position: &Position) -> Option<(Self, Color)> {
        let [king, advisor, bishop] =
            [PieceKind::King, PieceKind::Advisor, PieceKind::Bishop].map(|k| position.kind(k));
        let attackers = position.occupied() & !(king | advisor | bishop);
        if attackers.is_empty() || attackers.without_first().more_than_one() {
            return None;
        }
        if position.has_promotion() {
            return None;
        }
        let defenders = |color: Color| {
            let count = |set: Bitboard| (set & position.color(color)).len() as u8;
            Defenders {
                advisors: count(advisor),
                bishops: count(bishop),
            }
        };
        let mut kinds = attackers
            .into_iter()
            .filter_map(|s| Some(position.piece_on(s)?.kind()));
        let (first, second) = (kinds.next()?, kinds.next());
        let red = attackers & position.color(Color::Red);
        let (attackers, armed) = if red == attackers || red.is_empty() {
            let armed = if red.any() { Color::Red } else { Color::Black };
            (Attackers::one_sided(first, second)?, armed)
        } else {
            // Of equal sides red comes first.
            let is_red_first = Some(first) == second || red.contains(attackers.first()?);
            let owner = match is_red_first {
                true => Color::Red,
                false => Color::Black,
            };
            let (attackers, is_swapped) = Attackers::two_sided(first, second?)?;
            let armed = if is_swapped { !owner } else { owner };
            match Self::is_swapped(attackers, defenders(armed), defenders(!armed)) {
                true => (attackers, !armed),
                false => (attackers, armed),
            }
        };
        let material = Self {
            attackers,
            own: defenders(armed),
            defenders: defenders(!armed),
        };
        Some((material, armed))
    }
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
        // Of two sides with attackers of one kind only one order is there.
        let doubled = 4 * Defenders::COUNT * (Defenders::COUNT - 1) / 2;
        assert_eq!(all.len(), Material::COUNT - doubled);
    }

    #[test]
    fn classes_have_chinese_names() {
        for (name, chinese) in [
            ("KR-K", "车对将"),
            ("KCAA-KAB", "炮仕仕对士象"),
            ("KNPB-KBB", "马兵相对象象"),
            ("KRA-KC", "车仕对炮"),
        ] {
            assert_eq!(name.parse::<Material>().unwrap().chinese(), chinese);
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
            ("3k5/9/9/4n4/9/9/9/9/9/R4K3 b", Some(("KR-KN", Color::Red))),
            (
                "3k5/9/9/4r4/9/9/9/9/9/N4K3 b",
                Some(("KR-KN", Color::Black)),
            ),
            (
                "3k1a3/9/9/4r4/9/9/9/9/9/R4K3 w",
                Some(("KRA-KR", Color::Black)),
            ),
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
            let squares = ["a5", "i4"].into_iter().zip(attackers.kinds());
            for ((square, kind), color) in squares.zip(attackers.colors()) {
                put(square, *kind, color);
            }
            let position = Position::try_from(&setup).unwrap();
            let (material, _) = Material::of(&position).unwrap();
            assert_eq!(material.attackers(), attackers);
        }
    }
}
