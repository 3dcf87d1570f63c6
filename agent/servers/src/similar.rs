//! Names that a caller may have meant by one that there is not.

/// How many names a `did you mean` offers.
pub(crate) const SUGGESTIONS: usize = 3;

/// The names closest to `name`, closest first; none if nothing is near.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let near = (wanted.len() / 3).max(2);
    let ranked = names.filter_map(|other| {
        let lower = other.to_lowercase();
        let contained = wanted.len() > 2 && (lower.contains(&wanted) || wanted.contains(&lower));
        let distance = strsim::osa_distance(&wanted, &lower);
        (distance <= near || contained).then_some((distance, other))
    });
    let mut ranked: Vec<(usize, &str)> = ranked.collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().map(|(_, name)| name.to_owned()).take(SUGGESTIONS).collect()
}
