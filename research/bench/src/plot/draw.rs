//! Lines, axes and a legend.

use std::io;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::{
    ChartBuilder, Circle, Cross, DashedLineSeries, DrawingArea, EmptyElement, IntoDrawingArea,
    LineSeries, PathElement, Rectangle, SVGBackend, Text, TriangleMarker,
};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, WHITE};

use super::axis::Axis;
use super::{Chart, Look, Mark};
use crate::table;

const SIZE: (u32, u32) = (1000, 540);
const LEGEND_WIDTH: u32 = 264;
const FONT: &str = "sans-serif";
const TEXT: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
const LIMIT: RGBColor = RGBColor(0x77, 0x77, 0x77);
const LIMIT_NAME: &str = "limit of the AES instructions";
const DASH: (u32, u32) = (6, 4);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn svg(chart: &Chart) -> io::Result<String> {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let lengths = extremes(points().map(|(bytes, _)| *bytes as f64));
    let costs = extremes(points().map(|(_, cost)| *cost).chain(chart.limit));
    let (Some((short, long)), Some((low, high))) = (lengths, costs) else {
        return Err(io::Error::other("there is nothing to plot"));
    };
    // A single length would be an axis without extent.
    let x = Axis::log(short, long.max(short * 2.0));
    let y = Axis::of_costs(low, high);
    let mut text = String::new();
    draw(chart, x, y, &SVGBackend::with_string(&mut text, SIZE).into_drawing_area())
        .map_err(io::Error::other)?;
    Ok(text)
}

fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |extremes, value| {
        let (low, high) = extremes.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

type Drawn = Result<(), Box<dyn core::error::Error + Send + Sync>>;

fn draw(chart: &Chart, x: Axis, y: Axis, area: &Area<'_>) -> Drawn {
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(SIZE.0 - LEGEND_WIDTH);
    let mut plane = ChartBuilder::on(&left)
        .caption(&chart.title, (FONT, 23).into_font().color(&TEXT))
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(66)
        .build_cartesian_2d(x.clone(), y.clone())?;
    plane
        .configure_mesh()
        .x_desc("length of the message")
        .y_desc("cycles per byte")
        .x_label_formatter(&|at| table::bytes(*at as usize))
        .y_label_formatter(&|at| number(*at))
        .x_labels(x.labels())
        .y_labels(y.labels())
        .label_style((FONT, 15).into_font().color(&TEXT))
        .axis_desc_style((FONT, 17).into_font().color(&TEXT))
        .axis_style(TEXT)
        .bold_line_style(GRID)
        .light_line_style(GRID.mix(0.0))
        .draw()?;
    if let Some(limit) = chart.limit {
        let ends = [x.range().start, x.range().end].map(|bytes| (bytes, limit));
        plane.draw_series(DashedLineSeries::new(ends, DASH.0, DASH.1, LIMIT.stroke_width(2)))?;
    }
    for series in &chart.series {
        let points = || series.points.iter().map(|(bytes, cost)| (*bytes as f64, *cost));
        plane.draw_series(LineSeries::new(points(), line(series.look)))?;
        let Some(mark) = series.look.mark else { continue };
        let style = colour(series.look).filled();
        for point in points() {
            let at = EmptyElement::at(point);
            match mark {
                Mark::Disc => plane.draw_series([at + Circle::new((0, 0), 4, style)])?,
                Mark::Triangle => {
                    plane.draw_series([at + TriangleMarker::new((0, 0), 5, style)])?
                }
                Mark::Square => plane.draw_series([at + Rectangle::new(SQUARE, style)])?,
                Mark::Cross => plane.draw_series([at + Cross::new((0, 0), 4, thin(style))])?,
            };
        }
    }
    legend(chart, &right)?;
    area.present()?;
    Ok(())
}

const SQUARE: [(i32, i32); 2] = [(-3, -3), (4, 4)];

/// The lines in the order of their costs at the end, so that the eye finds them from there.
fn legend(chart: &Chart, area: &Area<'_>) -> Drawn {
    let last = |at: usize| chart.series[at].points.last().map_or(0.0, |(_, cost)| *cost);
    let mut order: Vec<usize> = (0..chart.series.len()).collect();
    order.sort_by(|a, b| last(*b).total_cmp(&last(*a)));
    let (left, middle, right) = (4, 20, 36);
    let font = || (FONT, 16).into_font().color(&TEXT);
    let mut y = 56;
    for series in order.into_iter().map(|at| &chart.series[at]) {
        area.draw(&PathElement::new([(left, y), (right, y)], line(series.look)))?;
        let (at, style) = ((middle, y), colour(series.look).filled());
        match series.look.mark {
            Some(Mark::Disc) => area.draw(&Circle::new(at, 4, style))?,
            Some(Mark::Triangle) => area.draw(&TriangleMarker::new(at, 5, style))?,
            Some(Mark::Square) => {
                let corners = SQUARE.map(|(dx, dy)| (middle + dx, y + dy));
                area.draw(&Rectangle::new(corners, style))?;
            }
            Some(Mark::Cross) => area.draw(&Cross::new(at, 4, thin(style)))?,
            None => {}
        }
        area.draw(&Text::new(series.name.as_str(), (right + 8, y - 7), font()))?;
        y += 22;
    }
    if chart.limit.is_some() {
        for start in [left, left + 12, left + 24] {
            let dash = [(start, y), (start + 8, y)];
            area.draw(&PathElement::new(dash, LIMIT.stroke_width(2)))?;
        }
        area.draw(&Text::new(LIMIT_NAME, (right + 8, y - 7), font()))?;
    }
    Ok(())
}

fn colour(look: Look) -> RGBColor {
    RGBColor(look.colour.0, look.colour.1, look.colour.2)
}

fn line(look: Look) -> ShapeStyle {
    colour(look).stroke_width(if look.mark.is_none() { 4 } else { 2 })
}

fn thin(style: ShapeStyle) -> ShapeStyle {
    ShapeStyle { stroke_width: 2, ..style }
}

/// A label without digits that say nothing.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    String::from(text.trim_end_matches('0').trim_end_matches('.'))
}
