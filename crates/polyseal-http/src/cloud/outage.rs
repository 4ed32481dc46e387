//! Requests that fail for a while are told once: `object_store` repeats them for minutes, silently.
//!
//! One client's requests are one conversation: whatever succeeds ends the trouble.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A server that has not answered for a while, and is still being asked.
#[derive(Clone, Copy, Debug)]
pub struct Outage<'a> {
    /// The server.
    pub host: &'a str,
    /// The last message: the server's, or the network's.
    pub message: &'a str,
    /// Since when nothing has succeeded.
    pub lasting: Duration,
}

pub(super) type OnOutage = Arc<dyn Fn(&Outage<'_>) + Send + Sync>;

pub(super) struct OutageWatch {
    after: Duration,
    on_outage: OnOutage,
    state: Mutex<State>,
}

#[derive(Clone, Copy)]
enum State {
    Fine,
    FailingSince(Instant),
    Told,
}

impl OutageWatch {
    pub(super) fn new(after: Duration, on_outage: OnOutage) -> Self {
        Self { after, on_outage, state: Mutex::new(State::Fine) }
    }

    pub(super) fn succeeded(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Fine;
    }

    /// `since` is when the failed request began.
    pub(super) fn failed(&self, host: &str, message: &str, since: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let since = match *state {
            State::Fine => since,
            State::FailingSince(first) => first,
            State::Told => return,
        };
        let lasting = since.elapsed();
        let told = lasting >= self.after;
        *state = if told { State::Told } else { State::FailingSince(since) };
        drop(state);
        if told {
            (self.on_outage)(&Outage { host, message, lasting });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_once_until_something_succeeds() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = Arc::clone(&told);
        let on_outage = move |outage: &Outage<'_>| {
            tell.lock().unwrap().push(outage.message.to_owned());
        };
        let watch = OutageWatch::new(Duration::from_secs(10), Arc::new(on_outage));
        let now = Instant::now();
        let long_ago = now.checked_sub(Duration::from_secs(11)).unwrap();

        watch.failed("h", "at once", now);
        watch.failed("h", "still not for long", long_ago);
        watch.succeeded();
        watch.failed("h", "for long", long_ago);
        watch.failed("h", "again", long_ago);
        watch.succeeded();
        watch.failed("h", "a second time", long_ago);
        assert_eq!(*told.lock().unwrap(), ["for long", "a second time"]);
    }
}
