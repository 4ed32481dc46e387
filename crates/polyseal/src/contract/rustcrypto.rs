//! RustCrypto's `aead` traits, for whatever has a [`Core`](super::Core).

/// Implements them for `$type`, which is a `Core` and has a function `on` from a key and a back
/// end. They are foreign traits: no generic implementation for all cores is allowed.
macro_rules! rustcrypto {
    (impl [$($generics:tt)*] $type:ty {
        name: $name:literal, key: $key:ty, nonce: $nonce:ty, tag: $tag:ty, longest: $longest:expr
    }) => {
        impl<$($generics)*> $type {
            const LONGEST: $crate::contract::LongestInputs = $longest;

            /// With a back end of the caller's choice. Results never depend on it.
            #[cfg(feature = "testing")]
            #[doc(hidden)]
            #[must_use]
            pub fn with_backend(
                key: &aead::Key<Self>,
                backend: $crate::backend::Backend,
            ) -> Self {
                Self::on(key, backend)
            }
        }

        impl<$($generics)*> core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct($name).finish_non_exhaustive()
            }
        }

        impl<$($generics)*> zeroize::ZeroizeOnDrop for $type {}

        impl<$($generics)*> aead::common::KeySizeUser for $type {
            type KeySize = $key;
        }

        impl<$($generics)*> aead::KeyInit for $type {
            fn new(key: &aead::Key<Self>) -> Self {
                Self::on(key, $crate::backend::Backend::detect())
            }
        }

        impl<$($generics)*> aead::AeadCore for $type {
            type NonceSize = $nonce;
            type TagSize = $tag;
            const TAG_POSITION: aead::TagPosition = aead::TagPosition::Postfix;
        }

        impl<$($generics)*> aead::AeadInOut for $type {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: aead::inout::InOutBuf<'_, '_, u8>,
            ) -> aead::Result<aead::Tag<Self>> {
                Self::LONGEST.check(associated_data.len(), buffer.len())?;
                let mut tag = aead::Tag::<Self>::default();
                $crate::contract::Core::seal(self, nonce, associated_data, buffer, &mut tag);
                Ok(tag)
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: aead::inout::InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> aead::Result<()> {
                Self::LONGEST.check(associated_data.len(), buffer.len())?;
                Ok($crate::contract::open(self, nonce, associated_data, buffer, tag)?)
            }
        }
    };
}

pub(crate) use rustcrypto;
