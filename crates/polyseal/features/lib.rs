//! Nothing: the tests are all that there is.
