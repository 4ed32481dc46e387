//! The order of entries, and which may follow which.

use std::cmp::Ordering;

use super::{Entry, Error, Kind, Problem, State, Timestamp};

/// Orders paths as a tree is walked: name by name, each by its bytes, so that a directory's entries
/// follow it directly.
///
/// ```
/// # use polyseal_file::manifest::compare;
/// assert!(compare(b"a/b", b"a.txt").is_lt());
/// ```
#[must_use]
pub fn compare(one: &[u8], other: &[u8]) -> Ordering {
    match one.iter().zip(other).find(|(one, other)| one != other) {
        // A name that ends here is before one that goes on.
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((one, other)) => one.cmp(other),
        None => one.len().cmp(&other.len()),
    }
}

/// Whether an entry can have this path: it does not lead out of the tree.
pub(crate) fn is_path(path: &[u8]) -> bool {
    !names(path).any(|name| matches!(name, b"" | b"." | b"..") || name.contains(&0))
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/')
}

/// Whether the link at `path` cannot lead out of the tree, whatever other links are in it: its
/// target is relative, and has no `..` but at its beginning and no more than directories above it.
///
/// ```
/// # use polyseal_file::manifest::stays_inside;
/// assert!(stays_inside(b"a/link", b"../b"));
/// assert!(!stays_inside(b"a/link", b"../../b") && !stays_inside(b"link", b"b/.."));
/// ```
#[must_use]
pub fn stays_inside(path: &[u8], target: &[u8]) -> bool {
    if target.is_empty() || target[0] == b'/' {
        return false;
    }
    let depth = path.iter().filter(|&&byte| byte == b'/').count();
    let mut steps = names(target).filter(|name| !matches!(*name, b"" | b".")).peekable();
    let mut up = 0;
    while steps.next_if(|name| *name == b"..").is_some() {
        up += 1;
    }
    up <= depth && steps.all(|name| name != b"..")
}

/// The state that decides which entry may come next.
#[derive(Debug, Default)]
pub(super) struct EntryOrder {
    last: Vec<u8>,
    /// How many bytes of `last` are a directory in which the next entry may be: all of them if it
    /// is one, otherwise those before its name.
    directory: usize,
    /// The last directory that is deleted and in none that is.
    deleted: Vec<u8>,
    pub(super) entries: u64,
    pub(super) failed: u64,
}

impl EntryOrder {
    pub(super) fn expect(&mut self, entry: &Entry) -> Result<(), Error> {
        let path = &entry.path[..];
        if !is_path(path) {
            return Err(Error::Invalid(Problem::Path));
        }
        match &entry.kind {
            Kind::Link { target } if target.is_empty() || target.contains(&0) => {
                return Err(Error::Invalid(Problem::Path));
            }
            Kind::Link { .. } | Kind::Absent if entry.mode != 0 => {
                return Err(Error::Invalid(Problem::Mode));
            }
            Kind::Absent if entry.modified != Timestamp::ZERO => {
                return Err(Error::Invalid(Problem::Time));
            }
            _ if entry.mode > 0o777 => return Err(Error::Invalid(Problem::Mode)),
            _ => {}
        }
        if entry.modified.nanoseconds >= 1_000_000_000 {
            return Err(Error::Invalid(Problem::Time));
        }
        let has_state = match entry.state {
            State::New => entry.kind != Kind::Absent,
            State::Unchanged => matches!(entry.kind, Kind::File { .. }),
            State::Failed(reason) => reason.number() != 0,
            State::Deleted => matches!(entry.kind, Kind::File { .. } | Kind::Directory),
        };
        if !has_state {
            return Err(Error::Invalid(Problem::State));
        }
        if self.entries > 0 && compare(&self.last, path).is_ge() {
            return Err(Error::Invalid(Problem::Order));
        }
        // Entries come in order: a directory's entries follow it before all else.
        let parent = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let open = &self.last[..self.directory];
        let is_open = open.starts_with(&path[..parent])
            && (parent == 0 || open.len() == parent || open[parent] == b'/');
        if !is_open {
            return Err(Error::Invalid(Problem::Parent));
        }
        let is_deleted = entry.state == State::Deleted;
        let in_deleted = !self.deleted.is_empty()
            && path.strip_prefix(&self.deleted[..]).is_some_and(|rest| rest.starts_with(b"/"));
        if in_deleted && !is_deleted {
            return Err(Error::Invalid(Problem::State));
        }
        if is_deleted && !in_deleted && entry.kind == Kind::Directory {
            path.clone_into(&mut self.deleted);
        }
        self.directory = if entry.kind == Kind::Directory { path.len() } else { parent };
        path.clone_into(&mut self.last);
        self.entries += 1;
        self.failed += u64::from(matches!(entry.state, State::Failed(_)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ordered_by_their_names() {
        let mut paths = vec![Vec::new()];
        for at in 0.. {
            let Some(path) = paths.get(at).filter(|path| path.len() < 4).cloned() else { break };
            paths.extend(b"/\0.a".iter().map(|byte| [&path[..], &[*byte]].concat()));
        }
        assert_eq!(paths.len(), 1 + 4 + 16 + 64 + 256);
        for one in &paths {
            for other in &paths {
                let by_names = names(one).cmp(names(other));
                assert_eq!(compare(one, other), by_names, "{one:?} {other:?}");
            }
        }
    }
}
