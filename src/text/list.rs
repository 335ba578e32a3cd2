//! Lists of names in one text.

/// The names of a list that semicolons separate, without blanks around them; empty ones are left
/// out.
pub fn names_of_list(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(';').map(str::trim);
    names.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_blanks_around_them() {
        let names: Vec<&str> = names_of_list(" a b.dat;; c.xqb ; ").collect();
        assert_eq!(names, ["a b.dat", "c.xqb"]);
        assert_eq!(names_of_list("").count(), 0);
    }
}
