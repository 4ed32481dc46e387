//! What every request to a store or a web server goes through: bounds on what a server can make
//! this side do, and errors that say what a server did.
//!
//! [`Connector`] is given to a builder of `object_store` by its `with_http_connector`.

mod asked;
mod body;
mod connector;
mod errors;
mod lists;
mod trouble;

pub use connector::{Connector, Server};
pub use errors::{
    BadList, EmptyObject, HttpNotAllowed, NoAnswer, NoRanges, Redirected, TooMuch, find,
};
pub use trouble::Trouble;
