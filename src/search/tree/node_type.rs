//! What kind of node is searched, known at compile time.

/// The type of a node (Chessprogramming wiki, "Node Types").
pub(super) trait NodeType {
    /// The node is on a principal variation (by MTD(f) the root alone, with a null window).
    const PV: bool;
    /// The node is the root.
    const ROOT: bool;
}

/// The root, whose moves are listed before the search and keep their scores.
pub(super) struct Root;
/// A node on a principal variation.
pub(super) struct Pv;
/// A node off the principal variation, with a null window unless the search is plain alpha-beta: it only has
/// to show on which side of the window its score lies.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}
