//! Plots of cycles a byte against the length of a message, as SVG.
//!
//! Drawing them takes the feature `peers`: without other libraries there is little to show.

#[cfg(feature = "peers")]
mod axis;
#[cfg(feature = "peers")]
mod draw;

use std::io;

/// A colour: red, green, blue.
pub type Colour = (u8, u8, u8);

/// What stands at the points of a line, so that lines of one colour can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A disc.
    Disc,
    /// A triangle.
    Triangle,
    /// A square.
    Square,
    /// Two crossing strokes.
    Cross,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its colour.
    pub colour: Colour,
    /// Its points; a line without marks is drawn thick.
    pub mark: Option<Mark>,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// How it is drawn.
    pub look: Look,
    /// Bytes of a message, and cycles a byte.
    pub points: Vec<(usize, f64)>,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// The lines.
    pub series: Vec<Series>,
    /// What the hardware allows, in cycles a byte.
    pub limit: Option<f64>,
}

impl Chart {
    /// The plot as the text of an SVG file.
    ///
    /// # Errors
    /// If there is nothing to plot, or this program was built without the feature `peers`.
    pub fn svg(&self) -> io::Result<String> {
        #[cfg(feature = "peers")]
        return draw::svg(self);
        #[cfg(not(feature = "peers"))]
        Err(io::Error::new(io::ErrorKind::Unsupported, "plots take a build with feature `peers`"))
    }
}

#[cfg(all(test, feature = "peers"))]
mod tests;
