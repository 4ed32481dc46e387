//! Servers that are hostile, odd or broken, below real stores: each answers by bytes that the test
//! has written, on a free port of this machine.

mod bodies;
mod clients;
mod credentials;
mod lists;
mod openings;
mod ranges;
mod raw;
mod redirects;
mod secrets;
mod troubles;
