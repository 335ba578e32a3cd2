//! Material classes, their attackers and their names, such as `KRA-KAB`.

use std::fmt;
use std::iter::repeat_n;
use std::str::FromStr;

use super::placements::Defenders;
use crate::board::{Bitboard, ByColor, Color, Piece, PieceKind, Position};

/// Material class: the attackers (rook, knight, cannon, pawn) and the advisors and bishops of both sides.
///
/// In a one-sided class one side has one or two attackers: the strong side. In a two-sided class each side has
/// one, and the side whose attacker comes first in the order rook, knight, cannon, pawn is the strong side.
/// Tables store the strong side as red.
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
    defenders: ByColor<Defenders>,
}

impl Material {
    /// Exclusive upper bound of [`Self::index`].
    pub const COUNT: usize = Attackers::COUNT * Defenders::COUNT * Defenders::COUNT;

    /// Class with these attackers and defenders; the strong side is red. If both sides have the same attacker, the side
    /// with more advisors, or with as many advisors and more bishops, becomes the strong side.
    pub fn new(attackers: Attackers, mut defenders: ByColor<Defenders>) -> Self {
        if Self::is_swapped(attackers, defenders) {
            defenders.0.reverse();
        }
        Self { attackers, defenders }
    }

    /// Whether [`Self::new`] exchanges the sides.
    #[inline]
    fn is_swapped(attackers: Attackers, defenders: ByColor<Defenders>) -> bool {
        let kinds = attackers.kinds();
        let [strong, weak] = defenders.0.map(Defenders::index);
        attackers.is_two_sided() && kinds[0] == kinds[1] && strong < weak
    }

    /// All classes, each after the classes that its captures lead to.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::with_capacity(Self::COUNT);
        for attackers in Attackers::all() {
            for strong in Defenders::all() {
                let defenders = Defenders::all().map(|weak| ByColor::new(strong, weak));
                let is_listed = |defenders: &_| !Self::is_swapped(attackers, *defenders);
                let listed = defenders.filter(is_listed);
                all.extend(listed.map(|defenders| Self::new(attackers, defenders)));
            }
        }
        all.sort_by_key(|m| {
            let [strong, weak] = m.defenders.0.map(Defenders::pieces);
            let defenders = if m.is_two_sided() { weak + strong } else { weak };
            let pieces = m.attackers.kinds().len() + usize::from(defenders);
            (m.is_two_sided(), pieces)
        });
        all
    }

    /// Whether each side has an attacker. The values of such a class depend on the repetition
    /// rules.
    #[inline]
    pub const fn is_two_sided(self) -> bool {
        self.attackers.is_two_sided()
    }

    /// Number of the class, below [`Self::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        let ByColor([strong, weak]) = self.defenders;
        let defenders = strong.index() * Defenders::COUNT + weak.index();
        self.attackers.index() * Defenders::COUNT * Defenders::COUNT + defenders
    }

    /// Attackers of the strong side, or one of each side.
    #[inline]
    pub const fn attackers(self) -> Attackers {
        self.attackers
    }

    /// Advisors and bishops of a side; the strong side is red.
    #[inline]
    pub fn defenders(self, side: Color) -> Defenders {
        self.defenders[side]
    }

    /// Class after the capture of the attacker `number` of [`Self::attackers`], from 0; `None` if it is the only one.
    pub fn without_attacker(self, number: usize) -> Option<Self> {
        let &[first, second] = self.attackers.kinds() else {
            return None;
        };
        let left = if number == 0 { second } else { first };
        let attackers = Attackers::one_sided(left, None)?;
        // The side that still has an attacker becomes the strong side.
        let mut defenders = self.defenders;
        if self.is_two_sided() && number == 0 {
            defenders.0.reverse();
        }
        Some(Self::new(attackers, defenders))
    }

    /// Class after the capture of an advisor or bishop of a side; `None` if it has none.
    pub fn without_defender(self, side: Color, is_advisor: bool) -> Option<Self> {
        let mut defenders = self.defenders;
        defenders[side] = defenders[side].without(is_advisor)?;
        Some(Self::new(self.attackers, defenders))
    }

    /// Chinese name such as `车仕对士象`, the strong side first.
    pub fn chinese(self) -> String {
        let side = |color: Color| -> String {
            let kinds = self.pieces_of(color);
            kinds.map(|kind| Piece::new(kind, color).chinese()).collect()
        };
        let other = side(Color::Black);
        let other = if other.is_empty() { "将" } else { &other };
        format!("{}对{other}", side(Color::Red))
    }

    /// Attackers, advisors and bishops of the strong side (red) or the weak side (black).
    fn pieces_of(self, color: Color) -> impl Iterator<Item = PieceKind> {
        let defenders = self.defenders[color];
        let attackers = self.attackers.kinds().iter().zip(self.attackers.colors());
        let attackers = attackers.filter(move |(_, owner)| *owner == color);
        attackers
            .map(|(kind, _)| *kind)
            .chain(repeat_n(PieceKind::Advisor, defenders.advisors.into()))
            .chain(repeat_n(PieceKind::Bishop, defenders.bishops.into()))
    }

    /// Classes that one capture leads to.
    pub fn after_captures(self) -> Vec<Self> {
        let attackers = (0..self.attackers.kinds().len()).filter_map(|i| self.without_attacker(i));
        // In a one-sided class, the weak side cannot reach the defenders of the strong side.
        let sides =
            if self.is_two_sided() { &[Color::Black, Color::Red][..] } else { &[Color::Black] };
        let defenders = [true, false].into_iter().flat_map(|is_advisor| {
            let sides = sides.iter();
            sides.filter_map(move |side| self.without_defender(*side, is_advisor))
        });
        let mut classes: Vec<Self> = Vec::new();
        for class in attackers.chain(defenders) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        classes
    }

    /// Class of a position and the color of its strong side. `None` if no table covers it: no attackers, more than two
    /// attackers, more than two advisors or bishops of a side, a pawn on a square that it cannot reach, or the
    /// promotion variant.
    #[inline]
    pub fn of(position: &Position) -> Option<(Self, Color)> {
        let [king, advisor, bishop] =
            [PieceKind::King, PieceKind::Advisor, PieceKind::Bishop].map(|k| position.kind(k));
        let attackers = position.occupied() & !(king | advisor | bishop);
        let is_covered = attackers.any() && !attackers.without_first().more_than_one();
        if !is_covered || position.has_promotion() {
            return None;
        }
        let defenders = |color: Color| {
            let count = |set: Bitboard| (set & position.color(color)).len() as u8;
            Defenders { advisors: count(advisor), bishops: count(bishop) }
        };
        let has_too_many = |side: Defenders| side.advisors > 2 || side.bishops > 2;
        if Color::ALL.into_iter().any(|color| has_too_many(defenders(color))) {
            return None;
        }
        let pieces = || attackers.into_iter().filter_map(|s| Some((position.piece_on(s)?, s)));
        if !pieces().all(|(piece, square)| piece.can_stand_on(square, false)) {
            return None;
        }
        let mut kinds = pieces().map(|(piece, _)| piece.kind());
        let (first, second) = (kinds.next()?, kinds.next());
        let red = attackers & position.color(Color::Red);
        let (attackers, strong) = if red == attackers || red.is_empty() {
            let strong = if red.any() { Color::Red } else { Color::Black };
            (Attackers::one_sided(first, second)?, strong)
        } else {
            // The owner of `first`. With equal attackers it is red, so that red is the strong side if the defenders are
            // equal too.
            let is_red_first = Some(first) == second || red.contains(attackers.first()?);
            let owner = if is_red_first { Color::Red } else { Color::Black };
            let (attackers, is_swapped) = Attackers::two_sided(first, second?)?;
            let strong = if is_swapped { !owner } else { owner };
            if Self::is_swapped(attackers, ByColor::new(defenders(strong), defenders(!strong))) {
                (attackers, !strong)
            } else {
                (attackers, strong)
            }
        };
        let material =
            Self { attackers, defenders: ByColor::new(defenders(strong), defenders(!strong)) };
        Some((material, strong))
    }
}

/// The one-sided combinations, by index.
const ONE_SIDED: [&[PieceKind]; 14] = {
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

/// Number of pairs, the last entries of [`ONE_SIDED`]. The two-sided combinations are the same pairs in this order.
const PAIR_COUNT: usize = 10;

/// One or two attackers of one side, or one of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attackers(u8);

impl Attackers {
    /// Number of combinations.
    pub const COUNT: usize = ONE_SIDED.len() + PAIR_COUNT;
    /// Maximum number of attackers in a class.
    pub const MAX: usize = 2;

    /// All combinations: single attackers, pairs of one side, one attacker on each side.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Kinds of the pieces, in the order rook, knight, cannon, pawn.
    #[inline]
    pub fn kinds(self) -> &'static [PieceKind] {
        let number = if self.is_two_sided() { self.index() - PAIR_COUNT } else { self.index() };
        ONE_SIDED[number]
    }

    /// Whether each side has an attacker.
    #[inline]
    pub const fn is_two_sided(self) -> bool {
        self.index() >= ONE_SIDED.len()
    }

    /// Colors of the first and second piece if the first is red.
    #[inline]
    pub const fn colors(self) -> [Color; Self::MAX] {
        if self.is_two_sided() { [Color::Red, Color::Black] } else { [Color::Red; Self::MAX] }
    }

    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Combination of one or two pieces of one side, in any order; `None` for a king, advisor or bishop.
    #[inline]
    pub fn one_sided(one: PieceKind, other: Option<PieceKind>) -> Option<Self> {
        let first = attacker_index(one)?;
        match other {
            None => Some(Self(first as u8)),
            Some(other) => Some(Self(PAIRS[first][attacker_index(other)?])),
        }
    }

    /// Combination with one piece on each side, and whether `second` comes before `first` in [`Self::kinds`]. `None`
    /// for a king, advisor or bishop.
    #[inline]
    pub fn two_sided(first: PieceKind, second: PieceKind) -> Option<(Self, bool)> {
        let (first, second) = (attacker_index(first)?, attacker_index(second)?);
        let attackers = Self(PAIRS[first][second] + PAIR_COUNT as u8);
        Some((attackers, first > second))
    }
}

/// Number of the combination for each pair of kinds on one side.
const PAIRS: [[u8; 4]; 4] = [[4, 5, 6, 7], [5, 8, 9, 10], [6, 9, 11, 12], [7, 10, 12, 13]];

/// Index of a kind in the order rook, knight, cannon, pawn; `None` for other kinds.
#[inline]
const fn attacker_index(kind: PieceKind) -> Option<usize> {
    match kind {
        PieceKind::Rook => Some(0),
        PieceKind::Knight => Some(1),
        PieceKind::Cannon => Some(2),
        PieceKind::Pawn => Some(3),
        _ => None,
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = |color| -> String { self.pieces_of(color).map(PieceKind::letter).collect() };
        write!(f, "K{}-K{}", letters(Color::Red), letters(Color::Black))
    }
}

/// Error from parsing the name of a material class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMaterialError {
    /// The text does not consist of two sides that begin with K.
    #[error("not a material class: write two sides that begin with K, such as KRA-KAB")]
    Form,
    /// Unknown letter, or too many pieces of a kind.
    #[error(
        "not a side of a class: write one K, at most two A and two B, and attackers R, N, C, P"
    )]
    Pieces,
    /// No attackers, more than two, or one against two.
    #[error(
        "not a supported class: one side must have one or two attackers (R, N, C, P) and the other none, or each \
         side one"
    )]
    Attackers,
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    /// Reads a name such as `KRA-KAB`, in upper or lower case, with the pieces of a side in any
    /// order and the sides in any order.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (first, second) = text.split_once('-').ok_or(ParseMaterialError::Form)?;
        let (first, second) = (read_side(first)?, read_side(second)?);
        let attackers = match (&first.1[..], &second.1[..]) {
            ([one], [other]) => Attackers::two_sided(*one, *other),
            ([one, rest @ ..], []) | ([], [one, rest @ ..]) if rest.len() < Attackers::MAX => {
                let attackers = Attackers::one_sided(*one, rest.first().copied());
                attackers.map(|attackers| (attackers, first.1.is_empty()))
            }
            _ => None,
        };
        let (attackers, is_swapped) = attackers.ok_or(ParseMaterialError::Attackers)?;
        let (strong, weak) = if is_swapped { (second.0, first.0) } else { (first.0, second.0) };
        Ok(Self::new(attackers, ByColor::new(strong, weak)))
    }
}

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
    let defenders = Defenders { advisors: advisors as u8, bishops: bishops as u8 };
    Ok((defenders, kinds.into_iter().filter(is_attacker).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Setup, Square};

    #[test]
    fn names_round_trip_and_indices_are_unique() {
        let all = Material::all();
        let mut seen = vec![false; Material::COUNT];
        for (place, material) in all.iter().enumerate() {
            let name = material.to_string();
            let (strong, weak) = name.split_once('-').unwrap();
            for name in [&name, &format!("{weak}-{strong}")] {
                assert_eq!(name.parse(), Ok(*material), "{name}");
            }
            assert!(!std::mem::replace(&mut seen[material.index()], true));
            for smaller in material.after_captures() {
                let before = all.iter().position(|m| *m == smaller);
                assert!(before.unwrap() < place, "{smaller} before {material}");
            }
        }
        // If both sides have the same attacker, only one of the two orders of their defenders is a class.
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
    fn positions_have_the_right_class() {
        for (fen, known) in [
            ("4ka3/9/9/9/9/9/9/9/9/R2K5 w", Some(("KR-KA", Color::Red))),
            ("4k3r/4a4/9/9/9/9/9/9/4A4/2BK5 w", Some(("KRA-KAB", Color::Black))),
            ("3k5/9/9/4pn3/9/9/9/9/9/5K3 b", Some(("KNP-K", Color::Black))),
            ("3k5/9/9/4pn3/9/9/9/9/9/R4K3 b", None),
            ("3k5/9/9/4n4/9/9/9/9/9/R4K3 b", Some(("KR-KN", Color::Red))),
            ("3k5/9/9/4r4/9/9/9/9/9/N4K3 b", Some(("KR-KN", Color::Black))),
            ("3k1a3/9/9/4r4/9/9/9/9/9/R4K3 w", Some(("KRA-KR", Color::Black))),
            ("3k5/9/9/3PPP3/9/9/9/9/9/5K3 b", None),
            ("3ak4/9/9/9/9/9/9/9/9/5K3 b", None),
        ] {
            let class = Material::of(&fen.parse().unwrap());
            let class = class.map(|(material, strong)| (material.to_string(), strong));
            let known = known.map(|(name, strong)| (name.to_owned(), strong));
            assert_eq!(class, known, "{fen}");
        }
        for attackers in Attackers::all() {
            let mut setup = Setup::empty();
            let mut put = |square: &str, kind, color| {
                let square: Square = square.parse().unwrap();
                setup.squares[square.index()] = Some(Piece::new(kind, color));
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
        let (rook, bishop) = (PieceKind::Rook, PieceKind::Bishop);
        assert_eq!(Attackers::one_sided(PieceKind::King, None), None);
        assert_eq!(Attackers::one_sided(rook, Some(bishop)), None);
        assert_eq!(Attackers::two_sided(rook, bishop), None);
        assert_eq!(Attackers::two_sided(bishop, rook), None);
    }

    #[test]
    fn names_are_read_in_any_order_and_invalid_ones_rejected() {
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
