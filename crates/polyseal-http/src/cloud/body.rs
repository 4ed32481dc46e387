//! The body of an answer: no longer than was asked for, no shorter than was promised, and not
//! awaited for ever.
//!
//! Source: RFC 9112, section 6.3, by which a body may be framed by chunks of any number, and its
//! end is then no sign of its length.
//!
//! Limits: a server that sends a byte now and then is waited for.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use object_store::client::{HttpError, HttpErrorKind, HttpResponseBody};
use tokio::time::Sleep;

use super::answers::{ExcessBytes, NoAnswer, refused};
use super::outage::OutageWatch;
use super::request_kind::Bounds;

pub(super) struct BoundedBody {
    inner: HttpResponseBody,
    bounds: Bounds,
    received: u64,
    exceeded: bool,
    patience: Duration,
    /// Since when nothing comes, while it does not.
    waiting: Option<Instant>,
    /// One for the whole body: to set it anew for each frame costs a tenth of the time.
    alarm: Option<Pin<Box<Sleep>>>,
    last: Instant,
    host: Arc<str>,
    /// Receives the notices; `None` for the body of a failure, which is reported itself.
    watch: Option<Arc<OutageWatch>>,
}

impl BoundedBody {
    pub(super) fn new(
        inner: HttpResponseBody,
        bounds: Bounds,
        patience: Duration,
        host: Arc<str>,
        watch: Option<Arc<OutageWatch>>,
    ) -> Self {
        let last = Instant::now();
        let (waiting, alarm) = (None, None);
        Self {
            inner,
            bounds,
            received: 0,
            exceeded: false,
            patience,
            waiting,
            alarm,
            last,
            host,
            watch,
        }
    }

    /// All of it.
    pub(super) async fn collect(mut self) -> Result<Bytes, HttpError> {
        let mut all = BytesMut::new();
        while let Some(frame) = self.frame().await {
            if let Ok(data) = frame?.into_data() {
                all.extend_from_slice(&data);
            }
        }
        Ok(all.freeze())
    }

    /// The body up to its limit, or up to where it broke off.
    pub(super) async fn read_beginning(mut self) -> Bytes {
        let mut all = BytesMut::new();
        while let Some(Ok(frame)) = self.frame().await {
            if let Ok(data) = frame.into_data() {
                all.extend_from_slice(&data);
            }
        }
        all.freeze()
    }

    fn failed(&self, error: NoAnswer) -> HttpError {
        if let Some(watch) = &self.watch {
            watch.failed(&self.host, &error.message, self.last);
        }
        error.into()
    }

    fn succeeded(&self) {
        if let Some(watch) = &self.watch {
            watch.succeeded();
        }
    }

    fn broken_error(&self, message: String, kind: HttpErrorKind) -> HttpError {
        self.failed(NoAnswer::new(&self.host, kind, message))
    }

    fn next(
        &mut self,
        frame: Option<Result<Frame<Bytes>, HttpError>>,
    ) -> Option<Result<Frame<Bytes>, HttpError>> {
        let data = match frame {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => data,
                Err(trailers) => return Some(Ok(trailers)),
            },
            Some(Err(error)) => {
                return Some(Err(self.failed(NoAnswer::because(&self.host, error))));
            }
            None if self.received < self.bounds.least => {
                let message = format!("{} bytes of {} came", self.received, self.bounds.least);
                return Some(Err(self.broken_error(message, HttpErrorKind::Interrupted)));
            }
            None => {
                self.succeeded();
                return None;
            }
        };
        if self.received == 0 {
            self.succeeded();
        }
        self.last = Instant::now();
        // The allowed bytes are given before the error, so that going on from there asks for
        // nothing.
        let left = self.bounds.most - self.received;
        self.exceeded = data.len() as u64 > left;
        let data = match usize::try_from(left) {
            Ok(left) if self.exceeded => data.slice(..left),
            _ => data,
        };
        self.received += data.len() as u64;
        Some(Ok(Frame::data(data)))
    }
}

impl Body for BoundedBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = &mut *self;
        if this.exceeded {
            return Poll::Ready(Some(Err(refused(ExcessBytes { asked: this.bounds.most }))));
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.inner).poll_frame(context) {
            this.waiting = None;
            return Poll::Ready(this.next(frame));
        }
        let patience = this.patience;
        let since = *this.waiting.get_or_insert_with(Instant::now);
        let alarm = this.alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        loop {
            ready!(alarm.as_mut().poll(context));
            let left = patience.saturating_sub(since.elapsed());
            if left.is_zero() {
                let message = format!("nothing came for {} s", patience.as_secs());
                return Poll::Ready(Some(Err(this.broken_error(message, HttpErrorKind::Timeout))));
            }
            alarm.as_mut().reset(tokio::time::Instant::now() + left);
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
