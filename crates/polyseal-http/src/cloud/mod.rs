//! Clouds by the crate `object_store`: its stores on clients of this crate, credentials from the
//! environment or from whoever gives them to a machine, and Amazon's signature. Stores and key
//! services share all of it.
//!
//! Every request goes through a [`Connector`], which bounds the effects of a server's answers on
//! this side, and reports a server's misbehaviour; a builder of `object_store` takes it by
//! `with_http_connector`. Credentials and endpoints come from the environment.

pub mod answers;
mod body;
pub mod builders;
mod connector;
pub mod credentials;
mod environment;
mod lists;
mod outage;
mod request_kind;
mod setup;
pub mod xml;

pub use connector::{Connector, Server, is_repeated};
pub use environment::options;
pub use lists::LISTED;
pub use outage::Outage;
pub use request_kind::whole_object;
pub use setup::{Scheme, SetupError, line, message};
