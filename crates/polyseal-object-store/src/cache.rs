//! A bounded cache of facts about objects, keyed by the store's ETag.
//!
//! A store that gives two contents one ETag gains nothing by it: a remembered key opens no segment
//! of another object.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;

/// The entries that were used last.
pub(crate) struct Cache<K: Hash + Eq, V>(Option<Mutex<LruCache<K, V>>>);

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    /// At most `entries`; of none, nothing is remembered.
    pub(crate) fn new(entries: usize) -> Self {
        Self(NonZeroUsize::new(entries).map(|most| Mutex::new(LruCache::new(most))))
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.with(|cache| cache.get(key).cloned()).flatten()
    }

    pub(crate) fn put(&self, key: K, value: V) {
        self.with(|cache| cache.put(key, value));
    }

    pub(crate) fn forget(&self, key: &K) {
        self.with(|cache| cache.pop(key));
    }

    fn with<T>(&self, act: impl FnOnce(&mut LruCache<K, V>) -> T) -> Option<T> {
        let cache = self.0.as_ref()?;
        Some(act(&mut cache.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
