//! Instructions that an architecture does not have.

use core::marker::PhantomData;

use super::contract::{Enter, EnteredTask, Integer};

/// A unit for words `W` that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<W>(Never, PhantomData<W>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Never {}

impl<W: Integer> Enter for Unit<W> {
    fn enter<R: EnteredTask>(self, _: R) {
        match self.0 {}
    }
}

impl<W: Integer> super::Unit for Unit<W> {
    type Word = W;
    type Chain = ();
    type Words = ();

    fn load(self, _: &[u8]) {
        match self.0 {}
    }

    fn store(self, (): (), _: &mut [u8]) {
        match self.0 {}
    }

    fn chain(self, (): ()) {
        match self.0 {}
    }

    fn words(self, (): ()) {
        match self.0 {}
    }

    fn xor(self, (): (), (): ()) {
        match self.0 {}
    }

    fn mask(self, (): (), (): ()) {
        match self.0 {}
    }

    fn compress<const N: usize>(
        self,
        _: &[W],
        _: &[W; 8],
        _: &[W; 8],
        _: [(); N],
        _: [(); N],
    ) -> [(); N] {
        match self.0 {}
    }
}
